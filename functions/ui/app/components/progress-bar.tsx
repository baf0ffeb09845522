type Props = {
  label: string
  done: number
  total: number
  /** Thinner, within a row. */
  isSlim?: boolean
}

// The browser's own bar has colours of its own, which no theme changes.
const bar =
  'block w-full appearance-none overflow-hidden rounded-full bg-muted [&::-webkit-progress-bar]:bg-transparent'
const colours = {
  running: '[&::-webkit-progress-value]:bg-running [&::-moz-progress-bar]:bg-running',
  over: '[&::-webkit-progress-value]:bg-completed [&::-moz-progress-bar]:bg-completed',
} as const

/** How many of how many are done. */
export const ProgressBar = ({ label, done, total, isSlim = false }: Props) => (
  <progress
    className={`${bar} ${isSlim ? 'h-1' : 'h-1.5'} ${colours[done < total ? 'running' : 'over']}`}
    value={done}
    max={Math.max(1, total)}
    aria-label={label}
  />
)
