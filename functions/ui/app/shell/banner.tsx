import { WifiOff } from 'lucide-react'
import { isConnected } from '../data/connection.ts'

/** Says that what the page shows may be old. */
export const Banner = () =>
  isConnected.use() ? null : (
    <div
      role="status"
      className="flex shrink-0 items-center gap-2 bg-queued/15 px-4 py-1.5 text-queued md:px-6"
    >
      <WifiOff size={14} />
      <span className="font-medium">The connection to the service is lost.</span>
      <span className="max-sm:hidden">What you see may be old; the page catches up by itself.</span>
    </div>
  )
