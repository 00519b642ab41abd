//! Dense arrays of one element type: shape, buffer, and reading them from `.npy`.
