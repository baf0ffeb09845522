import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { expiresAtMs, useCountdown } from '../components/countdown.ts'
import { RiskTag } from '../components/risk.tsx'
import { TimeLeft } from '../components/time-left.tsx'
import { visibleText } from '../components/visible-text.ts'
import { withoutWorkspace } from '../components/workspace-path.ts'
import type { Call } from './calls.ts'
import type { Mark } from './decision.ts'
import { DecisionButtons } from './decision-buttons.tsx'
import { expiryEnd, OutcomeTag } from './outcome.tsx'

type Props = {
  call: Call
  /** The calls that wait behind it. */
  others: number
  mark: Mark
  onNext: () => void
  /** What else can be done, below the decision. */
  children?: ReactNode
}

/**
 * The decision about one call, in reach of the thumb. Once the call is decided the bar shows the outcome until the person
 * goes on: a second tap must not decide about the next call.
 */
export const DecisionBar = ({ call: { approval, outcome }, others, mark, onNext, children }: Props) => {
  const { id, title, securityLevel, expiresAt } = approval
  const left = useCountdown(expiresAtMs(expiresAt))
  const over = outcome ?? (left === 0 ? 'expired' : undefined)
  return (
    <section
      aria-label="Decision"
      className="flex shrink-0 flex-col gap-2 border-t bg-card px-4 pt-2.5 pb-[max(0.625rem,env(safe-area-inset-bottom))] shadow-lg md:hidden"
    >
      <p className="flex items-center gap-2">
        <RiskTag risk={securityLevel} />
        <span className="line-clamp-2 min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">
          {visibleText(withoutWorkspace(title))}
        </span>
        {over !== undefined && <OutcomeTag outcome={over} />}
        {over === undefined && expiresAt !== undefined && (
          <TimeLeft ms={left} end={expiryEnd(approval)} className="text-xs" />
        )}
      </p>
      {over === undefined ? (
        <DecisionButtons key={id} approval={approval} mark={mark} isWide />
      ) : (
        others > 0 && (
          <Button className="h-11 justify-center" onClick={onNext}>
            Next call, {others} waiting <ChevronRight size={16} />
          </Button>
        )
      )}
      {children}
    </section>
  )
}
