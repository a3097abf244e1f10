"""Widgets: the stage that shows scenes, and the explorers built around it."""
