import { Check, ChevronRight, X } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { RiskTag } from '../../components/risk.tsx'
import { visibleText } from '../../components/visible-text.ts'
import { withoutWorkspace } from '../../components/workspace-path.ts'
import { useIsOver } from '../../data/approvals.ts'
import { isConnected } from '../../data/connection.ts'
import type { Call } from './calls.ts'
import { type Mark, useDecision } from './decision.ts'
import { OutcomeTag } from './outcome.tsx'

type Props = {
  call: Call
  /** The calls that wait behind it. */
  others: number
  mark: Mark
  onNext: () => void
}

/**
 * The decision about one call, in reach of the thumb. Once the call is decided the bar shows the outcome until the person
 * goes on: a second tap must not decide about the next call.
 */
export const DecisionBar = ({ call: { approval, outcome }, others, mark, onNext }: Props) => {
  const { decideOrSay, isDeciding } = useDecision(approval.id, mark)
  const isOver = useIsOver(approval)
  const isAway = !isConnected.use()
  const isOff = isDeciding || isAway
  return (
    <section
      aria-label="Decision"
      className="flex shrink-0 flex-col gap-2 border-t bg-card px-4 pt-2.5 pb-[max(0.625rem,env(safe-area-inset-bottom))] shadow-lg md:hidden"
    >
      <p className="flex items-center gap-2">
        <RiskTag risk={approval.securityLevel} />
        <span className="line-clamp-2 min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">
          {visibleText(withoutWorkspace(approval.title))}
        </span>
        {outcome !== undefined && <OutcomeTag outcome={outcome} />}
      </p>
      {outcome === undefined ? (
        <div className="grid grid-cols-2 gap-2">
          <Button
            needsService
            kind="danger"
            disabled={isOff}
            className="h-11 justify-center"
            onClick={() => decideOrSay('deny')}
          >
            <X size={16} /> Deny
          </Button>
          <Button
            needsService
            kind="primary"
            disabled={isOff || isOver}
            className="h-11 justify-center"
            onClick={() => decideOrSay('allow-once')}
          >
            <Check size={16} /> Allow once
          </Button>
        </div>
      ) : (
        others > 0 && (
          <Button className="h-11 justify-center" onClick={onNext}>
            Next call, {others} waiting <ChevronRight size={16} />
          </Button>
        )
      )}
    </section>
  )
}
