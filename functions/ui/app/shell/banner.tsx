import { CircleAlert, type LucideIcon, WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { formatDuration } from '../components/time.ts'
import { isConnected, lostAt } from '../data/connection.ts'
import { oldSince } from '../data/query-client.ts'

const EVERY_MS = 1_000

/** By the browser's clock; undefined while the data is current. */
export const useStaleSince = (): number | undefined => {
  const connected = isConnected.use()
  const lost = lostAt.use()
  const old = oldSince.use()
  return connected ? old : lost
}

export const Banner = () => {
  const connected = isConnected.use()
  const since = useStaleSince()
  if (since === undefined) return null
  return connected ? (
    <Strip icon={CircleAlert} message="Some data could not be loaded." since={since} />
  ) : (
    <Strip icon={WifiOff} message="Connection to the service lost." since={since} />
  )
}

const Strip = ({ icon: Icon, message, since }: { icon: LucideIcon; message: string; since: number }) => (
  <section
    aria-label="The connection"
    className="flex shrink-0 items-center gap-x-2 bg-queued/15 px-4 py-1.5 text-queued md:px-6"
  >
    <Icon size={14} className="shrink-0" />
    <span role="status" className="font-medium">
      {message}
    </span>
    <span>
      Data is <Age since={since} /> old<span className="max-sm:sr-only"> and updates automatically</span>.
    </span>
  </section>
)

const Age = ({ since }: { since: number }) => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return <span>{formatDuration(Math.max(EVERY_MS, EVERY_MS * Math.floor((now - since) / EVERY_MS)))}</span>
}
