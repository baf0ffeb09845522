import { Link } from '@tanstack/react-router'
import { Check, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Arguments } from '../../components/arguments.tsx'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { expiresAtMs, formatTimeLeft, useCountdown } from '../../components/countdown.ts'
import { type Selection, toggled } from '../../components/data-row.tsx'
import { Facts } from '../../components/facts.tsx'
import { Person } from '../../components/person.tsx'
import { RiskTag } from '../../components/risk.tsx'
import { TitledSession, ToolCallsLink } from '../../components/session-link.tsx'
import { visibleText } from '../../components/visible-text.ts'
import { When } from '../../components/when.tsx'
import { withoutWorkspace } from '../../components/workspace-path.ts'
import { type Approval, useIsOver } from '../../data/approvals.ts'
import { isConnected } from '../../data/connection.ts'
import { useMe } from '../../data/me.ts'
import type { Call, Outcome } from './calls.ts'
import { type Mark, useDecision } from './decision.ts'
import { OutcomeTag, outcomeMeaning, sessionName } from './outcome.tsx'

/** The countdown is red below this. */
const SOON_MS = 60_000

type Props = {
  call: Call
  index: number
  isMeant: boolean
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
      className={`flex flex-col gap-2 border-b px-4 py-3 md:px-6 has-[[data-row-link]:focus]:bg-accent ${isMeant ? 'shadow-[inset_3px_0_0_var(--ring)]' : ''}`}
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
        {over === undefined && approval.expiresAt !== undefined && <Left ms={left} {...approval} />}
      </div>
      <From {...approval} />
      <Arguments label={`Arguments of ${name}`} values={approval.params} />
      <div className="flex min-h-8 flex-wrap items-center gap-2">
        {over === undefined && <Decide approval={approval} mark={marked} isInBar={isInBar} />}
        <p role="status" className="text-muted-foreground">
          {over !== undefined && outcomeMeaning(over)}
          {over !== undefined && <Record outcome={over} approval={approval} />}
        </p>
      </div>
    </li>
  )
}

const Left = ({ ms, taskId }: { ms: number } & Pick<Approval, 'taskId'>) => (
  <span
    title={
      taskId === undefined ? 'Denied if not decided by then' : 'Its task fails if this is not decided by then'
    }
    className={`ml-auto shrink-0 ${ms < SOON_MS ? 'font-medium text-failed' : 'text-muted-foreground'}`}
  >
    <time>{formatTimeLeft(ms)}</time> left
  </span>
)

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

type DecideProps = { approval: Approval; mark: Mark; isInBar: boolean }

/** On a phone the bar has the decision that can be made at once. */
const Decide = ({ approval, mark, isInBar }: DecideProps) => {
  const { id, toolName } = approval
  const { decide, decideOrSay, isDeciding } = useDecision(id, mark)
  const isOver = useIsOver(approval)
  const isAway = !isConnected.use()
  const isOff = isDeciding || isAway
  const place = sessionName(approval)
  const inBar = isInBar ? 'max-md:hidden' : ''
  const deny = (
    <Button needsService kind="danger" disabled={isOff} className={inBar} onClick={() => decideOrSay('deny')}>
      <X size={14} /> Deny
    </Button>
  )
  if (isOver)
    return (
      <>
        {deny}
        <p className="text-muted-foreground">
          {approval.taskId === undefined ? 'Its conversation was deleted' : 'Its task has ended'}, so the call
          does not run.
        </p>
      </>
    )
  return (
    <>
      <Button
        needsService
        kind="primary"
        disabled={isOff}
        className={inBar}
        onClick={() => decideOrSay('allow-once')}
      >
        <Check size={14} /> Allow once
      </Button>
      {deny}
      <Confirm
        verb="Always allow"
        size="normal"
        kind="plain"
        keep="Cancel"
        disabled={isOff}
        title={`Always allow in ${place}`}
        trigger={`Always allow in ${place}`}
        onConfirm={() => decide('allow-always')}
      >
        For 90 days, every call of <code className="font-mono">{toolName}</code> in {place} runs without
        approval, with any arguments. Guards and blocked tools still apply.
      </Confirm>
    </>
  )
}
