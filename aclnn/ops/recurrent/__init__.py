"""Recurrent networks: LSTM, GRU, and the cell of an LSTM, forward and backward.

Sizes: T steps, B samples, I inputs, H hidden units, L layers, D directions.

- Gates are blocks of H rows. An LSTM has the order i, f, g, o (input, forget, candidate, output). A GRU has the
  order r, z, n (reset, update, new).
- Parameters are ordered by layer, then by direction: w_ih, w_hh, and with biases b_ih, b_hh. The number of rows of the
  first parameter determines H.
- Lists of gates and states have a tensor [T, B, H] for each direction of each layer, in the order of the steps, also
  for the reverse direction. First and last states are [L * D, B, H].
- FLOAT16 is computed in float32. Each step rounds the states that the next step reads.

A step of the plan computes one direction of one layer (`_steps`).
"""
