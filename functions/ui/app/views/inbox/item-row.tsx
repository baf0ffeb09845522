import { Link } from '@tanstack/react-router'
import { AlarmClock, Check, RotateCcw } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { rowLinkClass, type Selection, toggled } from '../../components/data-row.tsx'
import { Facts } from '../../components/facts.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { When } from '../../components/when.tsx'
import { useRemoveHold } from '../../data/holds.ts'
import type { InboxItem, InboxItemOf } from '../../data/inbox.ts'
import { useMe } from '../../data/me.ts'
import { writtenKey } from '../../shell/key-table.ts'
import { Answer } from './answer.tsx'
import { Key } from './key.tsx'
import { isReviewable, ResultLine } from './result-line.tsx'
import { facts, looks, type RowItem, TitleLink, titleText } from './words.tsx'

export type ItemVerbs = {
  onDone: (items: readonly InboxItem[]) => void
  onSnooze: (items: readonly InboxItem[]) => void
  onReopen: (items: readonly InboxItem[]) => void
  onRetry: (item: InboxItemOf<'failure'>) => void
}

type Props = {
  item: RowItem
  index: number
  /** Its verbs are in words. */
  isCurrent: boolean
  selection: Selection
  verbs: ItemVerbs
}

/** An item in two lines, with what can be done about it. */
export const ItemRow = ({ item, index, isCurrent, selection, verbs }: Props) => {
  const { icon: Icon, label, tone } = looks[item.kind]
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isCurrent) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  const name = titleText(item)
  return (
    <li
      ref={row}
      data-index={index}
      data-item={item.key}
      className={`relative flex min-h-14 scroll-mt-9 items-center gap-3 border-b px-4 py-2 hover:bg-muted has-[[data-row-link]:focus]:bg-accent has-[[data-row-link]:focus]:shadow-[inset_3px_0_0_var(--ring)] md:px-6 ${isCurrent ? 'shadow-[inset_3px_0_0_var(--ring)]' : ''}`}
    >
      <span className="relative z-1 flex">
        <Checkbox
          label={`Select ${name}`}
          isChecked={selection.selected.has(item.key)}
          onChange={() => selection.onSelect(toggled(selection.selected, item.key))}
        />
      </span>
      <Icon size={16} role="img" aria-label={label} className={`shrink-0 ${tone}`} />
      <div className="min-w-0 flex-1">
        <h3 className="font-medium">
          <TitleLink
            item={item}
            className={`block ${item.kind === 'question' ? '[overflow-wrap:anywhere]' : 'truncate'} ${rowLinkClass}`}
          />
        </h3>
        {isReviewable(item) ? (
          <ResultLine item={item} />
        ) : (
          <p className="text-muted-foreground max-md:h-[1lh] max-md:overflow-hidden max-md:[clip-path:inset(0_0_2px)]">
            <Facts facts={[...facts(item), snoozed(item)]} />
          </p>
        )}
        {item.kind === 'question' && item.snoozedUntil === undefined && <Answer item={item} />}
      </div>
      <div className="relative z-1 flex items-center gap-1">
        <Verb item={item} isCurrent={isCurrent} onRetry={verbs.onRetry} />
        {item.snoozedUntil === undefined ? (
          <>
            <RowButton
              label="Snooze"
              keys={writtenKey('snooze')}
              isInWords={isCurrent}
              onClick={() => verbs.onSnooze([item])}
              className="max-md:hidden"
            >
              <AlarmClock size={15} />
            </RowButton>
            <RowButton
              label="Done"
              keys={writtenKey('done')}
              isInWords={isCurrent}
              onClick={() => verbs.onDone([item])}
            >
              <Check size={15} />
            </RowButton>
          </>
        ) : (
          <RowButton label="Reopen" onClick={() => verbs.onReopen([item])}>
            <RotateCcw size={15} />
          </RowButton>
        )}
      </div>
    </li>
  )
}

const snoozed = ({ snoozedUntil }: RowItem) =>
  snoozedUntil && (
    <span key="snoozed">
      snoozed until <When at={snoozedUntil} />
    </span>
  )

type RowButtonProps = {
  label: string
  keys?: string
  isInWords?: boolean
  onClick: () => void
  className?: string
  children: ReactNode
}

const RowButton = ({ label, keys, isInWords = false, onClick, className = '', children }: RowButtonProps) => (
  <Button
    kind={isInWords ? 'plain' : 'ghost'}
    size={isInWords ? 'small' : 'icon'}
    needsService
    // The name has the words that are shown, with the key.
    aria-label={isInWords && keys ? `${label} ${keys}` : label}
    title={keys ? `${label} (${keys})` : label}
    className={className}
    onClick={onClick}
  >
    {children}
    {isInWords && (
      <>
        {label} <Key name={keys} />
      </>
    )}
  </Button>
)

/** The act that most likely ends the cause. A phone has room for that of a failure; of others the title leads to the cause. */
const Verb = (props: Pick<Props, 'item' | 'isCurrent'> & Pick<ItemVerbs, 'onRetry'>) => (
  <span className={`contents ${props.item.kind === 'failure' ? '' : 'max-md:hidden'}`}>
    <VerbOfKind {...props} />
  </span>
)

const VerbOfKind = ({
  item,
  isCurrent,
  onRetry,
}: Pick<Props, 'item' | 'isCurrent'> & Pick<ItemVerbs, 'onRetry'>) => {
  switch (item.kind) {
    case 'failure':
      return (
        <Button size="small" needsService title="Retry (r)" onClick={() => onRetry(item)}>
          <RotateCcw size={14} />
          <span className="max-md:sr-only">
            Retry {item.failure.pending > 1 ? `all ${item.failure.pending}` : ''}
          </span>
          {isCurrent && <Key name={writtenKey('retry')} />}
        </Button>
      )
    case 'hold':
      return <StartAnyway id={item.hold.id} />
    case 'budget':
      return <RaiseBudget />
    case 'runner':
      return (
        <Link to="/agents" className={buttonClass({ size: 'small' })}>
          Open runners
        </Link>
      )
    default:
      return null
  }
}

const RaiseBudget = () =>
  useMe()?.role === 'admin' ? (
    <Link to="/settings/installation" className={buttonClass({ size: 'small' })}>
      Raise the budget
    </Link>
  ) : null

const StartAnyway = ({ id }: { id: string }) => {
  const isAdmin = useMe()?.role === 'admin'
  const { mutate, isPending } = useRemoveHold()
  if (!isAdmin) return null
  const start = () =>
    mutate(id, { onError: (error) => void toast.failed('Not started', errorMessage(error)) })
  return (
    <Button size="small" needsService disabled={isPending} onClick={start}>
      Start anyway
    </Button>
  )
}
