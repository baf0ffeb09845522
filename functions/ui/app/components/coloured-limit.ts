/** Code of more letters is shown without colours: they take some 10 ms for so many, in which the page does not answer. */
export const MOST_COLOURED = 5_000
