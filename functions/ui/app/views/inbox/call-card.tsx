import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { Call, Outcome } from '../../approvals/calls.ts'
import type { Mark } from '../../approvals/decision.ts'
import { DecisionButtons } from '../../approvals/decision-buttons.tsx'
import { expiryEnd, OutcomeTag, outcomeMeaning } from '../../approvals/outcome.tsx'
import { Arguments } from '../../components/arguments.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { expiresAtMs, useCountdown } from '../../components/countdown.ts'
import { type Selection, toggled } from '../../components/data-row.tsx'
import { Facts } from '../../components/facts.tsx'
import { Person } from '../../components/person.tsx'
import { RiskTag } from '../../components/risk.tsx'
import { TitledSession, ToolCallsLink } from '../../components/session-link.tsx'
import { TimeLeft } from '../../components/time-left.tsx'
import { visibleText } from '../../components/visible-text.ts'
import { When } from '../../components/when.tsx'
import { withoutWorkspace } from '../../components/workspace-path.ts'
import type { Approval } from '../../data/approvals.ts'
import { useMe } from '../../data/me.ts'

type Props = {
  call: Call
  index: number
  isMeant: boolean
  /** The bar of a phone decides about it. */
  isInBar: boolean
  selection: Selection
  mark: Mark
}

/** A pending call; once it is decided or expired, its outcome. */
export const CallCard = ({ call, index, isMeant, isInBar, selection, mark }: Props) => {
  const { approval, outcome } = call
  const left = useCountdown(expiresAtMs(approval.expiresAt))
  const over = outcome ?? (left === 0 ? 'expired' : undefined)
  const card = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isMeant) card.current?.scrollIntoView({ block: 'nearest' })
  }, [isMeant])
  // The decision removes the buttons, so focus moves to the card.
  const marked: Mark = (id, to) => {
    if (card.current?.contains(document.activeElement))
      card.current.querySelector<HTMLElement>('[data-row-link]')?.focus()
    mark(id, to)
  }
  const name = visibleText(withoutWorkspace(approval.title))
  const key = `approval:${approval.id}`
  return (
    <li
      ref={card}
      data-index={index}
      data-item={key}
      className={`flex flex-col gap-2 border-b px-4 py-3 md:px-6 has-[[data-row-link]:focus]:bg-accent ${isMeant ? 'shadow-[inset_3px_0_0_var(--ring)]' : ''} ${isInBar ? 'max-md:shadow-[inset_3px_0_0_var(--ring)]' : ''}`}
    >
      <div className="flex items-start gap-x-2.5 gap-y-1 max-md:flex-wrap">
        {over === undefined && (
          <span className="flex h-5 items-center">
            <Checkbox
              label={`Select ${name}`}
              isChecked={selection.selected.has(key)}
              onChange={() => selection.onSelect(toggled(selection.selected, key))}
            />
          </span>
        )}
        <RiskTag risk={approval.securityLevel} />
        <h2 className="min-w-0 flex-1 font-mono [overflow-wrap:anywhere] max-md:order-last max-md:basis-full">
          <Link
            to="/inbox"
            search={(before: object) => ({ ...before, item: key })}
            replace
            data-row-link
            className="outline-none"
          >
            {name}
          </Link>
        </h2>
        {over !== undefined && <OutcomeTag outcome={over} />}
        {over === undefined && approval.expiresAt !== undefined && (
          <TimeLeft ms={left} end={expiryEnd(approval)} className="ml-auto" />
        )}
      </div>
      <From {...approval} />
      <Arguments label={`Arguments of ${name}`} values={approval.params} />
      {/* As tall with the outcome as with the buttons: what is below stays in its place. */}
      <div className="flex items-center gap-2 md:min-h-8">
        {over === undefined && (
          // On a phone the bar has the decision.
          <div className="max-md:hidden">
            <DecisionButtons approval={approval} mark={marked} />
          </div>
        )}
        <p role="status" className="text-muted-foreground">
          {over !== undefined && outcomeMeaning(over)}
          {over !== undefined && <Record outcome={over} approval={approval} />}
        </p>
      </div>
    </li>
  )
}

const From = ({ userId, taskId, conversationId, requestedAt }: Approval) => {
  const me = useMe()
  const isInSession = (taskId ?? conversationId) !== undefined
  return (
    <p className="text-muted-foreground">
      <Facts
        facts={[
          isInSession && <TitledSession key="session" taskId={taskId} conversationId={conversationId} />,
          me && me.id !== userId && <Person key="of" id={userId} />,
          <span key="at">
            asked <When at={requestedAt} />
          </span>,
        ]}
      />
    </p>
  )
}

const Record = ({ outcome, approval }: { outcome: Outcome; approval: Approval }) => {
  const { taskId, conversationId } = approval
  if (outcome !== 'elsewhere' || (taskId ?? conversationId) === undefined) return null
  return (
    <>
      {' '}
      <ToolCallsLink taskId={taskId} conversationId={conversationId} /> has the outcome.
    </>
  )
}
