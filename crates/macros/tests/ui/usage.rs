//! Things that are no program.

macros::program!(loss);
macros::program!(mod loss "def f = 1.0");
macros::program!(mod loss = "def f = 1.0" grad(f));
macros::program!(mod loss = "def f = 1.0", grad());
