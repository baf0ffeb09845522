import { ShieldQuestion } from 'lucide-react'
import { Arguments } from '../components/arguments.tsx'
import { expiresAtMs, useCountdown } from '../components/countdown.ts'
import { RiskTag } from '../components/risk.tsx'
import { Scroller } from '../components/scroller.tsx'
import { TimeLeft } from '../components/time-left.tsx'
import { Windowed } from '../components/windowed.tsx'
import { withoutWorkspace } from '../components/workspace-path.ts'
import { type Approval, useApprovals } from '../data/approvals.ts'
import { callInBar } from './call-in-bar.ts'
import { DecisionButtons } from './decision-buttons.tsx'
import { expiryEnd } from './outcome.tsx'
import { isInScope, type Scope } from './scope.ts'

/** The calls of a task or a conversation that wait, with their arguments and the decision. */
export const WaitingCalls = ({ scope }: { scope: Scope }) => {
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
  const { id, title, toolName, params, securityLevel, expiresAt } = approval
  const left = useCountdown(expiresAtMs(expiresAt))
  const inBar = callInBar.use()
  return (
    <li
      className={`rounded-lg border bg-card ${inBar === id ? 'border-ring shadow-[inset_3px_0_0_var(--ring)]' : 'border-queued/60'}`}
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 px-3 pt-2.5">
        <ShieldQuestion size={16} className="text-queued" />
        <span className="min-w-0 font-mono text-xs font-medium [overflow-wrap:anywhere]">
          {withoutWorkspace(title)}
        </span>
        <RiskTag risk={securityLevel} />
        {expiresAt !== undefined && (
          <TimeLeft ms={left} end={expiryEnd(approval)} className="ml-auto text-xs" />
        )}
      </div>
      <Scroller
        role="group"
        label={`Arguments of ${toolName}`}
        className="mx-3 mt-1.5 max-h-48 overflow-y-auto"
      >
        <Arguments label={`Arguments of ${toolName}`} values={params} isWhole />
      </Scroller>
      <div className="px-3 pb-2.5">
        {inBar === undefined && (
          <div className="pt-2.5">
            <DecisionButtons approval={approval} mark={ignore} />
          </div>
        )}
      </div>
    </li>
  )
}

/** The list is read again after a decision, and what became of the call is in the run. */
const ignore = () => undefined
