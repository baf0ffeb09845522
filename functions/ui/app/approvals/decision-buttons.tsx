import { Check, Ellipsis, X } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { Confirm } from '../components/confirm.tsx'
import { type Approval, useIsOver } from '../data/approvals.ts'
import { isConnected } from '../data/connection.ts'
import { type Mark, useDecision } from './decision.ts'
import { sessionName } from './outcome.tsx'

type Props = {
  approval: Approval
  mark: Mark
  /** In reach of the thumb: two wide buttons, and the third choice behind an icon. */
  isWide?: boolean
}

/** The decision about a call: in this order everywhere, so that the hand learns it. */
export const DecisionButtons = ({ approval, mark, isWide = false }: Props) => {
  const { id, toolName, taskId } = approval
  const { decide, decideOrSay, isDeciding } = useDecision(id, mark)
  const isOver = useIsOver(approval)
  const isAway = !isConnected.use()
  const isOff = isDeciding || isAway
  const place = sessionName(approval)
  const size = isWide ? 'h-11 justify-center' : ''
  return (
    <div
      className={
        isWide ? 'grid grid-cols-[1fr_1fr_auto] gap-2' : 'flex min-h-8 min-w-0 flex-wrap items-center gap-2'
      }
    >
      <Button
        needsService
        kind="danger"
        disabled={isOff}
        aria-label={`Deny: ${toolName}`}
        className={size}
        onClick={() => decideOrSay('deny')}
      >
        <X size={14} /> Deny
      </Button>
      {isOver ? (
        <p className={`text-muted-foreground ${isWide ? 'col-span-2 self-center' : ''}`}>
          {taskId === undefined ? 'Its conversation was deleted' : 'Its task has ended'}, so the call does not
          run.
        </p>
      ) : (
        <>
          <Button
            needsService
            kind="primary"
            disabled={isOff}
            aria-label={`Allow once: ${toolName}`}
            className={size}
            onClick={() => decideOrSay('allow-once')}
          >
            <Check size={14} /> Allow once
          </Button>
          <Confirm
            verb="Always allow"
            size={isWide ? 'icon' : 'normal'}
            kind="plain"
            disabled={isOff}
            className={isWide ? 'size-11' : ''}
            title={`Always allow ${toolName} in ${place}`}
            trigger={isWide ? <Ellipsis size={18} /> : 'Always allow…'}
            onConfirm={() => decide('allow-always')}
          >
            For 90 days, every call of <code className="font-mono">{toolName}</code> in {place} runs without
            approval, with any arguments. Guards and blocked tools still apply.
          </Confirm>
        </>
      )}
    </div>
  )
}
