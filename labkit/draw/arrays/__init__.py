"""Who holds what: pictures of arrays and meshes."""
