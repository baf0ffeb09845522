import { Link } from '@tanstack/react-router'
import { useNothingRuns } from '../data/agents.ts'
import { closeOverlay } from '../shell/overlay.ts'

/** Says in the form that a task would wait. It may be created all the same. */
export const NothingRuns = () => {
  const nothing = useNothingRuns()
  if (nothing === undefined) return null
  return (
    <p role="note" className="rounded-md border border-queued/40 bg-queued/8 px-3 py-2">
      {nothing.why} The task waits until this is fixed.{' '}
      <Link to="/agents" onClick={closeOverlay} className="font-medium underline underline-offset-2">
        What to do
      </Link>
    </p>
  )
}
