import { ShieldQuestion } from 'lucide-react'
import { Arguments } from '../components/arguments.tsx'
import { Button } from '../components/button.tsx'
import { expiresAtMs, formatTimeLeft, useCountdown } from '../components/countdown.ts'
import { Refusal } from '../components/refusal.tsx'
import { RiskTag } from '../components/risk.tsx'
import { Scroller } from '../components/scroller.tsx'
import { Windowed } from '../components/windowed.tsx'
import { withoutWorkspace } from '../components/workspace-path.ts'
import { type Approval, type Decision, useApprovals, useDecide } from '../data/approvals.ts'
import type { AuditScope } from './audit-link.tsx'

const choices: readonly (readonly [Decision, string, 'primary' | 'plain' | 'danger'])[] = [
  ['allow-once', 'Allow once', 'primary'],
  ['allow-always', 'Always allow here', 'plain'],
  ['deny', 'Deny', 'danger'],
]

const isInScope = (approval: Approval, scope: AuditScope) =>
  'taskId' in scope ? approval.taskId === scope.taskId : approval.conversationId === scope.conversationId

export const Approvals = ({ scope }: { scope: AuditScope }) => {
  const { data } = useApprovals()
  const waiting = data?.filter((approval) => isInScope(approval, scope)) ?? []
  if (waiting.length === 0) return data ? <Elsewhere /> : null
  return (
    <ul aria-label="Waiting for your approval" className="flex flex-col gap-2">
      <Windowed
        isList
        items={waiting}
        getKey={({ id }) => id}
        draw={(approval) => <Waiting approval={approval} />}
        itemPx={CARD_PX}
        className="flex flex-col gap-2"
      />
    </ul>
  )
}

/** Just decided, or for another user. */
const Elsewhere = () => (
  <p role="status" className="text-muted-foreground">
    It continues when the user who started it, or an admin, decides.
  </p>
)

const CARD_PX = 180

const Waiting = ({ approval }: { approval: Approval }) => {
  const { id, title, toolName, params, securityLevel, expiresAt, taskId } = approval
  const decide = useDecide()
  const left = useCountdown(expiresAtMs(expiresAt))
  return (
    <li className="rounded-lg border border-queued/60 bg-card">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3 pt-2.5">
        <ShieldQuestion size={16} className="text-queued" />
        <span className="min-w-0 font-mono text-xs font-medium [overflow-wrap:anywhere]">
          {withoutWorkspace(title)}
        </span>
        <RiskTag risk={securityLevel} />
        {expiresAt !== undefined && (
          <span
            className="ml-auto text-xs text-muted-foreground"
            title={taskId === undefined ? 'Denied after that' : 'The task fails after that'}
          >
            {left === 0 ? 'expired' : `${formatTimeLeft(left)} left`}
          </span>
        )}
      </div>
      <Scroller
        role="group"
        label={`Arguments of ${toolName}`}
        className="mx-3 mt-1.5 max-h-48 overflow-y-auto"
      >
        <Arguments label={`Arguments of ${toolName}`} values={params} isWhole />
      </Scroller>
      <div className="flex flex-wrap gap-2 px-3 py-2.5">
        {choices.map(([decision, label, kind]) => (
          <Button
            needsService
            key={decision}
            kind={kind}
            size="small"
            disabled={decide.isPending}
            aria-label={`${label}: ${toolName}`}
            onClick={() => decide.mutate({ id, decision })}
          >
            {label}
          </Button>
        ))}
      </div>
      {decide.error && (
        <div className="px-3 pb-2.5">
          <Refusal error={decide.error} />
        </div>
      )}
    </li>
  )
}
