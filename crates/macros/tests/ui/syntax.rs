//! A text that does not parse.

macros::program!(mod loss = "def loss(w: [n]Real): Real = sum(w");
