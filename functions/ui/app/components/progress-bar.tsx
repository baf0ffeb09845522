type Props = { label: string; done: number; total: number; failed?: number; isSlim?: boolean }

// The native bar ignores the theme.
const bar =
  'block w-full appearance-none overflow-hidden rounded-full bg-muted [&::-webkit-progress-bar]:bg-transparent'
const colours = {
  running: '[&::-webkit-progress-value]:bg-running [&::-moz-progress-bar]:bg-running',
  completed: '[&::-webkit-progress-value]:bg-completed [&::-moz-progress-bar]:bg-completed',
  faulty: '[&::-webkit-progress-value]:bg-queued [&::-moz-progress-bar]:bg-queued',
  failed: '[&::-webkit-progress-value]:bg-failed [&::-moz-progress-bar]:bg-failed',
} as const

const progressState = (done: number, total: number, failed: number): keyof typeof colours => {
  if (done < total) return 'running'
  if (failed === 0) return 'completed'
  return failed < total ? 'faulty' : 'failed'
}

export const ProgressBar = ({ label, done, total, failed = 0, isSlim = false }: Props) => (
  <progress
    className={`${bar} ${isSlim ? 'h-1' : 'h-1.5'} ${colours[progressState(done, total, failed)]}`}
    value={done}
    max={Math.max(1, total)}
    aria-label={label}
  />
)
