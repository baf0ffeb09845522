import { Link, useSearch } from '@tanstack/react-router'
import { Hourglass } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { callInBar } from '../../approvals/call-in-bar.ts'
import { isInScope } from '../../approvals/scope.ts'
import { waitingSentences } from '../../components/waiting.ts'
import { When } from '../../components/when.tsx'
import { useApprovals } from '../../data/approvals.ts'
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

/** What a person can do about each other wait. */
const steps: Readonly<Record<Exclude<Waiting['reason'], 'approval'>, ReactNode>> = {
  hold: <Guide section="a-provider-is-held" />,
  budget: <RaiseBudget />,
  runner: <Guide section="no-runner-takes-a-task" />,
  slot: <Guide section="tasks-wait" />,
  schedule: null,
}

/** Why a task waits, until when, and what ends the wait. */
export const WaitNotice = ({ task: { id, waiting } }: { task: Task }) => {
  if (!waiting) return null
  return waiting.reason === 'approval' ? (
    <ApprovalNotice taskId={id} waiting={waiting} />
  ) : (
    <Notice waiting={waiting}>{steps[waiting.reason]}</Notice>
  )
}

/** Says nothing where the call itself is in view, with its decision. */
const ApprovalNotice = ({ taskId, waiting }: { taskId: string; waiting: Waiting }) => {
  const { tab = 'output', attempt } = useSearch({ from: '/tasks/$id' })
  const { data } = useApprovals()
  const isInBar = callInBar.use() !== undefined
  if (isInBar || (tab === 'output' && attempt === undefined)) return null
  const canDecide = data?.some((approval) => isInScope(approval, { taskId })) ?? false
  return <Notice waiting={waiting}>{canDecide && <Decide />}</Notice>
}

const Decide = () => (
  <Link from="/tasks/$id" to="." search={{}} className={linkClass}>
    Decide
  </Link>
)

const Notice = ({ waiting, children }: { waiting: Waiting; children: ReactNode }) => {
  const { cause, end } = waitingSentences(waiting)
  return (
    <p
      role="status"
      className="flex items-baseline gap-2 border-b bg-queued/10 px-4 py-1.5 [overflow-wrap:anywhere] md:px-6"
    >
      <Hourglass size={13} aria-hidden className="shrink-0 translate-y-0.5 text-queued" />
      <span className="min-w-0">
        {cause}{' '}
        {end && waiting.until && (
          <>
            {end} <When at={waiting.until} />.{' '}
          </>
        )}
        {children}
      </span>
    </p>
  )
}
