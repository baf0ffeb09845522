import { Link } from '@tanstack/react-router'
import { ChevronRight, CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { useAgentConditions } from '../../components/agent-conditions.ts'
import { NotYet } from '../../components/not-yet.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Panel } from '../../components/view.tsx'
import { useAgents } from '../../data/agents.ts'
import { useApprovalCount } from '../../data/approvals.ts'
import { useNotifications } from '../../data/notifications.ts'
import { useQueueStatus } from '../../data/queue.ts'

export const Attention = () => {
  const { queries: recent, getCondition } = useAgentConditions()
  const queries = [useQueueStatus(), useAgents(), useNotifications(), ...recent] as const
  const waiting = useApprovalCount() ?? 0
  const [{ data: queue }, { data: agents }, { data: unread }] = queries
  if (!queue || !agents || !unread || recent.some(({ data }) => !data))
    return (
      <Panel title="Needs you">
        <NotYet query={queries.find(({ data, error }) => error && !data) ?? queries[0]}>
          <SkeletonRows count={3} />
        </NotYet>
      </Panel>
    )
  const dead = queue.deadLetterQueue.pending
  const failing = agents.filter((agent) => ['failing', 'unhealthy'].includes(getCondition(agent) ?? ''))
  const items: ReactNode[] = [
    waiting > 0 && (
      <Item key="approvals" count={waiting} to="/approvals">
        {waiting === 1 ? 'tool call waiting' : 'tool calls waiting'} for approval
      </Item>
    ),
    dead > 0 && (
      <Item key="dead" count={dead} to="/queue">
        {dead === 1 ? 'failed task waiting' : 'failed tasks waiting'} for a decision
      </Item>
    ),
    failing.length > 0 && (
      <Item key="failing" count={failing.length} to="/agents">
        {failing.length === 1 ? 'agent fails' : 'agents fail'}: {failing.map(({ name }) => name).join(', ')}
      </Item>
    ),
    unread.unread > 0 && (
      <Item key="unread" count={unread.unread} to="/notifications">
        unread {unread.unread === 1 ? 'notification' : 'notifications'}
      </Item>
    ),
  ].filter(Boolean)
  return (
    <Panel title="Needs you">{items.length > 0 ? <ul className="divide-y">{items}</ul> : <Nothing />}</Panel>
  )
}

const Nothing = () => (
  <p className="flex items-center gap-2 px-3.5 py-4 text-muted-foreground">
    <CircleCheck size={15} className="text-completed" /> Nothing needs you right now.
  </p>
)

type ItemProps = {
  count: number
  to: '/approvals' | '/queue' | '/agents' | '/notifications'
  children: ReactNode
}

const Item = ({ count, to, children }: ItemProps) => (
  <li>
    <Link to={to} className="flex items-center gap-2 px-3.5 py-2.5 hover:bg-muted">
      <span className="font-semibold text-failed">{count}</span>
      <span className="min-w-0 flex-1">{children}</span>
      <ChevronRight size={14} className="text-muted-foreground" />
    </Link>
  </li>
)
