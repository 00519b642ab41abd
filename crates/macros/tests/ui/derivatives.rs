//! Derivatives that there are not.

macros::program!(mod a = "def f(x: Real): Real = x", grad(g));
macros::program!(mod b = "def f(x: Real): Real = x", gradient(f));
macros::program!(mod c = "def f(x: Real): Real = x", grad(f, y));
macros::program!(mod d = "def f(x: [n]Real): [n]Real = x", grad(f));
macros::program!(mod e = "def f = 1.0", grad(f));
macros::program!(mod g = "def f(x: Real): Real = x", grad(f), grad(f, x));
