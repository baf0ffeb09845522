import { CircleAlert, type IconComponent, WifiOff } from '../components/icons.tsx'
import { isConnected } from '../data/connection.ts'
import { isFailing } from '../data/query-client.ts'

/** Says that what the page shows may be old. */
export const Banner = () => {
  const connected = isConnected.use()
  const failing = isFailing.use()
  if (!connected) return <Strip icon={WifiOff} says="The connection to the service is lost." />
  return failing ? <Strip icon={CircleAlert} says="The service does not answer all that is asked." /> : null
}

const Strip = ({ icon: Icon, says }: { icon: IconComponent; says: string }) => (
  <div
    role="status"
    className="flex shrink-0 items-center gap-2 bg-queued/15 px-4 py-1.5 text-queued md:px-6"
  >
    <Icon size={14} />
    <span className="font-medium">{says}</span>
    <span className="max-sm:hidden">What you see may be old; the page catches up by itself.</span>
  </div>
)
