import { Link } from '@tanstack/react-router'
import { Hourglass } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { waitingSentences } from '../../components/waiting.ts'
import { When } from '../../components/when.tsx'
import { useMe } from '../../data/me.ts'

type Waiting = NonNullable<Task['waiting']>

const linkClass = 'underline underline-offset-2'

const RaiseBudget = () =>
  useMe()?.role === 'admin' ? (
    <Link to="/settings/installation" className={linkClass}>
      Raise the budget
    </Link>
  ) : (
    'An admin can raise the budget.'
  )

const Guide = ({ section }: { section: string }) => (
  <Link
    to="/docs/$group/$page"
    params={{ group: 'operate', page: 'stuck' }}
    hash={section}
    className={linkClass}
  >
    What can I do?
  </Link>
)

/** What a person can do about each wait. */
const steps: Readonly<Record<Waiting['reason'], ReactNode>> = {
  approval: (
    <Link to="/inbox" className={linkClass}>
      Decide
    </Link>
  ),
  hold: <Guide section="a-provider-is-held" />,
  budget: <RaiseBudget />,
  runner: <Guide section="no-runner-takes-a-task" />,
  slot: <Guide section="tasks-wait" />,
  schedule: null,
}

const Sentences = ({ waiting }: { waiting: Waiting }) => {
  const { cause, end } = waitingSentences(waiting)
  return (
    <>
      {cause}{' '}
      {end && waiting.until && (
        <>
          {end} <When at={waiting.until} />.{' '}
        </>
      )}
      {steps[waiting.reason]}
    </>
  )
}

/** Why a task waits, until when, and what ends the wait. */
export const WaitNotice = ({ waiting }: { waiting: Task['waiting'] }) =>
  waiting && (
    <p
      role="status"
      className="flex items-baseline gap-2 border-b bg-queued/10 px-4 py-1.5 [overflow-wrap:anywhere] md:px-6"
    >
      <Hourglass size={13} aria-hidden className="shrink-0 translate-y-0.5 text-queued" />
      <span className="min-w-0">
        <Sentences waiting={waiting} />
      </span>
    </p>
  )
