/** Characters that begin a line, control a terminal, or change the direction of the text around them. */
export const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/u
