import { formatTimeLeft } from './countdown.ts'

const SOON_MS = 600_000
const LAST_MS = 60_000

const tone = (ms: number) => {
  if (ms < LAST_MS) return 'font-semibold text-failed'
  return ms < SOON_MS ? 'font-semibold text-queued' : 'text-muted-foreground'
}

type Props = {
  ms: number
  /** What happens at the end. */
  end: string
  className?: string
}

/** `4:07 left`: amber in the last ten minutes, red in the last one. */
export const TimeLeft = ({ ms, end, className = '' }: Props) => (
  <span title={end} className={`shrink-0 ${tone(ms)} ${className}`}>
    <time>{formatTimeLeft(ms)}</time> left
  </span>
)
