//! The four doors of the README: each block of Rust there stands here too, line by line, and runs.

type Done = Result<(), cotan::Report>;

#[test]
fn handles() -> Done {
    let program = cotan::Program::new("def loss(w: [n]Real, y: Real): Real = (sum(w) - y) ** 2.0")?;
    let gradient = program.function("loss")?.grad().wrt(["w"]);
    assert_eq!(gradient.call(([1.0, 2.0], 4.0))?.get::<Vec<f64>>()?, [-2.0, -2.0]);
    Ok(())
}

#[test]
fn tracing() -> Done {
    use cotan::trace::{Array, Real, trace_named};

    let loss = trace_named(&["w", "y"], |w: Array<1>, y: Real| (w.sum() - y).pow(2.0))?;
    assert_eq!(loss.grad().wrt(["w"]).call(([1.0, 2.0], 4.0))?.to_text(), "[-2.0, -2.0]");
    Ok(())
}

#[rustfmt::skip]
cotan::program!(mod fit = "def loss(w: [n]Real, y: Real): Real = (sum(w) - y) ** 2.0", grad(loss, w));

#[test]
fn at_compile_time() -> Done {
    assert_eq!(fit::grad_loss(&[1.0, 2.0], 4.0)?, [-2.0, -2.0]);
    Ok(())
}

#[test]
fn overloading() {
    use cotan::real::Real;

    fn loss<R: Real>(w: &[R]) -> R {
        let gap = w[0] + w[1] - R::of(4.0);
        gap * gap
    }
    assert_eq!(cotan::real::grad(|w| loss(w), &[1.0, 2.0]), [-2.0, -2.0]);
}

#[test]
fn the_readme_says_the_same() {
    let here: Vec<&str> = include_str!("readme.rs").lines().map(str::trim).collect();
    let readme = include_str!("../../../README.md");
    let blocks: Vec<&str> = readme.split("```rust\n").skip(1).collect();
    assert_eq!(blocks.len(), 4);
    for block in blocks {
        for line in block.lines().take_while(|it| *it != "```") {
            assert!(here.contains(&line.trim()), "{line}");
        }
    }
}
