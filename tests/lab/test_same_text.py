"""One cell is one program in all processes, whatever was sent to them before."""


def test_a_cell_compiles_to_the_same_text_in_every_process(lab):
    # Many cells: what differed was how many digits the number of a message has.
    for number in range(30):
        source = f"jax.jit(lambda v: jnp.sin(v) + {number}).lower(1.0).compile().as_text()"
        texts = lab.run(source)
        assert texts[0] == texts[1], f"cell {number}"
