import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { Alike } from '../../approvals/alike.ts'
import type { Call, Outcome } from '../../approvals/calls.ts'
import type { Mark } from '../../approvals/decision.ts'
import { DecisionButtons } from '../../approvals/decision-buttons.tsx'
import { expiryEnd, OutcomeTag, outcomeMeaning } from '../../approvals/outcome.tsx'
import { Arguments } from '../../components/arguments.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { expiresAtMs, useCountdown } from '../../components/countdown.ts'
import { rowLinkClass, type Selection, toggled } from '../../components/data-row.tsx'
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
  alike: Alike | undefined
  onExpand: () => void
  index: number
  /** Shown in full, with its decision; on a phone the bar has that. */
  isOpen: boolean
  onOpen: () => void
  selection: Selection
  mark: Mark
}

/** A pending call; once it is decided or expired, its outcome. Only one is open, the others are a line. */
export const CallCard = ({ call, alike, onExpand, index, isOpen, onOpen, selection, mark }: Props) => {
  const { approval, outcome } = call
  const left = useCountdown(expiresAtMs(approval.expiresAt))
  const over = outcome ?? (left === 0 ? 'expired' : undefined)
  const card = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isOpen) card.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
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
      className={`relative flex scroll-mt-9 flex-col gap-1.5 border-b px-4 md:px-6 ${isOpen ? 'bg-card pb-3 shadow-[inset_3px_0_0_var(--ring)]' : 'hover:bg-muted'}`}
    >
      <div className={`flex items-center gap-x-2.5 ${isOpen ? 'pt-3' : 'min-h-11 max-md:py-2'}`}>
        {over === undefined && (
          <span className="relative z-1 flex h-5 items-center max-md:self-start">
            <Checkbox
              label={`Select ${name}`}
              isChecked={selection.selected.has(key)}
              onChange={() => selection.onSelect(toggled(selection.selected, key))}
            />
          </span>
        )}
        <span className="inline-flex max-md:hidden">
          <RiskTag risk={approval.securityLevel} />
        </span>
        <div className="min-w-0 flex-1 gap-x-4 md:flex md:items-center">
          <h3
            className={`min-w-0 font-mono ${isOpen ? 'flex-1 [overflow-wrap:anywhere]' : 'shrink truncate'}`}
          >
            <Link
              to="/inbox"
              search={(before: object) => ({ ...before, item: key })}
              replace
              data-row-link
              aria-expanded={isOpen}
              className={isOpen ? 'underline-offset-4 outline-none focus-visible:underline' : rowLinkClass}
              onClick={onOpen}
            >
              {name}
            </Link>
          </h3>
          {!isOpen && <Brief approval={approval} alike={alike} onExpand={onExpand} />}
        </div>
        {over !== undefined && <OutcomeTag outcome={over} />}
        {over === undefined && approval.expiresAt !== undefined && (
          <TimeLeft ms={left} end={expiryEnd(approval)} className="max-md:self-start" />
        )}
      </div>
      {isOpen && (
        <>
          <From approval={approval} alike={alike} onExpand={onExpand} />
          <Arguments label={`Arguments of ${name}`} values={approval.params} />
          {/* As tall with the outcome as with the buttons: what is below stays in its place. */}
          <div className="flex items-center gap-2 md:min-h-8">
            {over === undefined && (
              <div className="max-md:hidden">
                <DecisionButtons approval={approval} mark={marked} />
              </div>
            )}
            <p role="status" className="text-muted-foreground">
              {over !== undefined && outcomeMeaning(over)}
              {over !== undefined && <Record outcome={over} approval={approval} />}
            </p>
          </div>
        </>
      )}
    </li>
  )
}

type AboutProps = Pick<Props, 'alike' | 'onExpand'> & { approval: Approval }

/** Of a call that is not open. */
const Brief = ({ approval: { taskId, conversationId, securityLevel }, alike, onExpand }: AboutProps) => (
  <p className="flex min-w-0 items-center gap-x-2 text-muted-foreground md:ml-auto md:max-w-[45%] md:shrink-0">
    <span className="inline-flex md:hidden">
      <RiskTag risk={securityLevel} />
    </span>
    {alike?.isExpanded !== false && (
      <span className="relative z-1 min-w-0 truncate">
        <TitledSession taskId={taskId} conversationId={conversationId} />
      </span>
    )}
    {alike && <Expander {...alike} onExpand={onExpand} />}
  </p>
)

/** `3 conversations want this`: lists the calls that are alike. */
const Expander = ({ words, isExpanded, onExpand }: Alike & Pick<Props, 'onExpand'>) => (
  <button
    type="button"
    aria-expanded={isExpanded}
    className="relative z-1 -my-1 inline-flex min-h-6 shrink-0 items-center gap-1 align-middle text-foreground underline underline-offset-2"
    onClick={onExpand}
  >
    <ChevronRight size={14} aria-hidden className={isExpanded ? 'rotate-90' : ''} />
    {words} want this
  </button>
)

const From = ({ approval, alike, onExpand }: AboutProps) => {
  const { userId, taskId, conversationId, requestedAt, securityLevel } = approval
  const me = useMe()
  const isInSession = (taskId ?? conversationId) !== undefined
  return (
    <div className="flex items-start gap-2 text-muted-foreground">
      <span className="inline-flex md:hidden">
        <RiskTag risk={securityLevel} />
      </span>
      <Facts
        facts={[
          isInSession && <TitledSession key="session" taskId={taskId} conversationId={conversationId} />,
          me && me.id !== userId && <Person key="of" id={userId} />,
          <span key="at">
            asked <When at={requestedAt} />
          </span>,
          alike && <Expander key="alike" {...alike} onExpand={onExpand} />,
        ]}
      />
    </div>
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
