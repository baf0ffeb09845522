import { clockOffset, serverNow } from '../data/server-clock.ts'
import { createSignal } from '../data/signal.ts'
import { formatDateTime } from './format.ts'
import { formatRelative } from './time.ts'

const EVERY_MS = 5_000

/** One clock for all relative times. It stops while the page is hidden. */
const now = createSignal(serverNow())
setInterval(() => document.visibilityState === 'visible' && now.set(serverNow()), EVERY_MS)
clockOffset.subscribe(() => now.set(serverNow()))

export const When = ({ at, className = '' }: { at: string | undefined; className?: string }) => {
  const current = now.use()
  if (at === undefined) return <span className={className}>–</span>
  const moment = Date.parse(at)
  return (
    <time dateTime={at} title={formatDateTime(at)} className={`whitespace-nowrap ${className}`}>
      {formatRelative(Math.max(current, serverNow() - EVERY_MS), moment)}
    </time>
  )
}
