import { createSignal } from '../data/signal.ts'
import { relativeTo } from './time.ts'

const EVERY_MS = 5_000

/** One clock for all relative times of the page; it stands still while the page is hidden. */
const now = createSignal(Date.now())
setInterval(() => document.visibilityState === 'visible' && now.set(Date.now()), EVERY_MS)

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** How long ago something was; the exact time on hover. */
export const When = ({ at, className = '' }: { at: string | undefined; className?: string }) => {
  const current = now.use()
  if (at === undefined) return <span className={className}>–</span>
  const moment = Date.parse(at)
  return (
    <time dateTime={at} title={exact.format(moment)} className={`whitespace-nowrap ${className}`}>
      {relativeTo(Math.max(current, Date.now() - EVERY_MS), moment)}
    </time>
  )
}
