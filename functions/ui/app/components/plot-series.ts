export type Series = {
  label: string
  values: readonly number[]
  /** Up to where they are drawn, where that is not what they are: bars that stand on those of a later series. */
  drawnTo?: readonly number[]
  /** A custom property of the theme: `--completed`. */
  colour: string
  form: 'bars' | 'line'
}
