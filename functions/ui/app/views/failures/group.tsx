import { Link } from '@tanstack/react-router'
import { Bell, BellOff, Ellipsis, FlaskConical, RotateCcw, Trash2 } from 'lucide-react'
import { AgentName } from '../../components/agent-name.tsx'
import { Button, buttonClass } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { type Selection, toggled } from '../../components/data-row.tsx'
import { ErrorCode } from '../../components/error-code.tsx'
import { Facts } from '../../components/facts.tsx'
import { formatNumber } from '../../components/format.ts'
import { Popover, PopoverClose } from '../../components/popover.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { Spark } from '../../components/spark.tsx'
import { Tag } from '../../components/tag.tsx'
import { toast } from '../../components/toast.tsx'
import { When } from '../../components/when.tsx'
import { type BulkOrder, orderOfCause } from '../../data/bulk-jobs.ts'
import { causeDetail, causeTitle, type FailureGroup, useMute } from '../../data/failures.ts'

type Props = {
  group: FailureGroup
  index: number
  selection: Selection
  onOrder: (order: BulkOrder) => void
  onProbe: () => void
}

export const Group = ({ group, index, selection, onOrder, onProbe }: Props) => {
  const { fingerprint, code, agent, count, pending, firstSeen, lastSeen, spark, muted } = group
  const mute = useMute()
  const title = causeTitle(group)
  const isOne = pending === 1
  const second = causeDetail(group)
  const order = (action: 'retry' | 'discard') => onOrder(orderOfCause(action, fingerprint))
  const change = () =>
    mute.mutate(group, {
      onError: (error) => toast.failed(muted ? 'Not unmuted' : 'Not muted', errorMessage(error)),
    })
  return (
    <li
      aria-label={title}
      data-index={index}
      className={`flex flex-col gap-2 border-b px-4 py-3 has-[[data-row-link]:focus]:bg-accent has-[[data-row-link]:focus]:shadow-[inset_3px_0_0_var(--ring)] md:px-6 ${muted ? 'bg-muted/40' : ''}`}
    >
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2 max-md:flex-nowrap">
        <Checkbox
          label={`Select ${title}`}
          isChecked={selection.selected.has(fingerprint)}
          onChange={() => selection.onSelect(toggled(selection.selected, fingerprint))}
        />
        <div className="min-w-0 flex-1 basis-64">
          <Link
            to="/tasks/queue"
            search={{ status: 'all', fingerprint }}
            data-row-link
            className="line-clamp-2 font-medium outline-none [overflow-wrap:anywhere] hover:underline"
          >
            {title}
          </Link>
          {second && <p className="truncate font-mono text-xs leading-5 text-muted-foreground">{second}</p>}
          <p className="text-muted-foreground">
            <Facts
              facts={[
                <ErrorCode key="code" code={code} />,
                <AgentName key="agent" type={agent} />,
                <span key="seen">
                  first <When at={firstSeen} />, last <When at={lastSeen} />
                </span>,
                muted && <Tag key="muted">Muted</Tag>,
              ]}
            />
          </p>
        </div>
        <span className="max-md:hidden">
          <Spark counts={spark} label={`Failures over time: ${spark.join(', ')}`} />
        </span>
        <p className="ml-auto shrink-0 text-right whitespace-nowrap md:w-24">
          {pending === count ? (
            <span className="font-semibold">{formatNumber(count)} pending</span>
          ) : (
            <>
              <span className="text-base font-semibold">{formatNumber(count)}</span>
              <span className="block text-muted-foreground">
                {pending > 0 ? `${formatNumber(pending)} pending` : 'none pending'}
              </span>
            </>
          )}
        </p>
      </div>
      <div className="flex flex-wrap gap-2 max-md:gap-1 md:pl-7.5 max-md:[&>button]:px-1.5 max-md:[&>button:not([aria-haspopup])>svg]:hidden">
        <Button
          size="small"
          disabled={pending === 0}
          title={isOne ? 'Retry (r)' : 'Retry all (r)'}
          onClick={() => order('retry')}
        >
          <RotateCcw size={14} /> {isOne ? 'Retry' : 'Retry all'}
        </Button>
        {!isOne && (
          <Button
            size="small"
            disabled={pending === 0}
            title="Retries one task to check whether the cause is fixed"
            onClick={onProbe}
          >
            <FlaskConical size={14} /> Retry one
          </Button>
        )}
        <Button
          kind="ghost"
          size="small"
          needsService
          disabled={mute.isPending}
          title={
            muted
              ? 'Turn notifications about these failures on again'
              : 'Turn off notifications about these failures'
          }
          onClick={change}
        >
          {muted ? <Bell size={14} /> : <BellOff size={14} />} {muted ? 'Unmute' : 'Mute'}
        </Button>
        {pending > 0 && (
          <Popover
            label="More actions"
            trigger={
              <Button kind="ghost" size="small" aria-label={`More actions: ${title}`}>
                <Ellipsis size={14} />
              </Button>
            }
          >
            <div className="flex flex-col p-1.5">
              <PopoverClose className={buttonClass({ kind: 'ghost' })} onClick={() => order('discard')}>
                <Trash2 size={14} /> {isOne ? 'Discard' : 'Discard all'}
              </PopoverClose>
            </div>
          </Popover>
        )}
      </div>
    </li>
  )
}
