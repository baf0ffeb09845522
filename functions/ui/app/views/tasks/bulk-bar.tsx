import { Ban, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { isFinal, nextStatus, TASK_STATUSES, type TaskStatus } from '../../../../../lib/tasks/machine.ts'
import { BulkDialog } from '../../components/bulk-dialog.tsx'
import { Button } from '../../components/button.tsx'
import { formatNumber } from '../../components/format.ts'
import { SelectionBar } from '../../components/selection-bar.tsx'
import type { BulkOrder } from '../../data/bulk-jobs.ts'
import type { Filters } from '../../data/tasks.ts'
import { useKeys } from '../../shell/keys.ts'
import type { TaskRow } from './rows.ts'

type Verb = 'cancel' | 'retry'
type Props = {
  rows: readonly TaskRow[]
  selected: ReadonlySet<string>
  filters: Filters
  /** The number of matches. */
  total: number | undefined
  onClear: () => void
}

const concerns: Readonly<Record<Verb, (status: TaskStatus) => boolean>> = {
  cancel: (status) => nextStatus(status, 'cancel') !== undefined,
  retry: isFinal,
}

/**
 * The filters, narrowed to states that the action applies to; undefined if none remain. A retry skips retried tasks, so that running it
 * twice does not repeat work.
 */
const bulkFilter = (filters: Filters, verb: Verb) => {
  const asked = filters.status?.split(',') ?? TASK_STATUSES
  const status = TASK_STATUSES.filter((one) => asked.includes(one) && concerns[verb](one))
  // Filters come from the address; the service rejects invalid ones.
  return status.length === 0 ? undefined : ({ ...unlessGiven[verb], ...filters, status } as BulkFilter)
}
const unlessGiven = { cancel: {}, retry: { retried: false } } as const
type BulkFilter = Extract<BulkOrder, { target: 'tasks' }>['body']['filter']

export const BulkBar = ({ rows, selected, filters, total = 0, onClear }: Props) => {
  const [isAll, setAll] = useState(false)
  const [order, setOrder] = useState<BulkOrder>()
  const chosen = rows.filter(({ id }) => selected.has(id))
  const selectedIds = (verb: Verb) =>
    chosen.filter(({ status }) => concerns[verb](status)).map(({ id }) => id)
  const matchingFilter = (verb: Verb) => bulkFilter(filters, verb)
  const ask = (action: Verb) => {
    const filter = matchingFilter(action)
    const selection = isAll && filter ? { filter } : { ids: selectedIds(action) }
    setOrder({ target: 'tasks', body: { action, ...selection } })
  }
  const close = (started: boolean) => {
    setOrder(undefined)
    if (started) onClear()
  }
  const countText = (verb: Verb) => (isAll ? 'all…' : formatNumber(selectedIds(verb).length))
  const isFor = (verb: Verb) => (isAll ? matchingFilter(verb) !== undefined : selectedIds(verb).length > 0)
  useKeys({
    cancel: isFor('cancel') ? () => ask('cancel') : undefined,
    retry: isFor('retry') ? () => ask('retry') : undefined,
  })
  return (
    <SelectionBar count={isAll ? total : chosen.length} onClear={onClear} freesSearch>
      {!isAll && total > chosen.length && (
        <Button kind="ghost" className="underline underline-offset-2" onClick={() => setAll(true)}>
          Select all {formatNumber(total)} that match
        </Button>
      )}
      {isFor('cancel') && (
        <Button onClick={() => ask('cancel')}>
          <Ban size={14} /> Cancel {countText('cancel')}
        </Button>
      )}
      {isFor('retry') && (
        <Button onClick={() => ask('retry')}>
          <RotateCcw size={14} /> Retry {countText('retry')}
        </Button>
      )}
      {order && <BulkDialog order={order} onClose={close} />}
    </SelectionBar>
  )
}
