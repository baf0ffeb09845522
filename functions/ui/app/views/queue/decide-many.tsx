import { RotateCcw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { BulkDialog } from '../../components/bulk-dialog.tsx'
import { Button } from '../../components/button.tsx'
import { formatNumber } from '../../components/format.ts'
import { SelectionBar } from '../../components/selection-bar.tsx'
import type { BulkOrder } from '../../data/bulk-jobs.ts'
import type { DeadLetter } from '../../data/dead-letters.ts'
import { useKeys } from '../../shell/keys.ts'

type Props = {
  letters: readonly DeadLetter[]
  /** Pending letters of the list, if it has no others. */
  waiting: number | undefined
  fingerprint: string | undefined
  onClear: () => void
}

/** Decided letters of a selection are skipped. */
export const DecideMany = ({ letters, waiting = 0, fingerprint, onClear }: Props) => {
  const [isAll, setAll] = useState(false)
  const [order, setOrder] = useState<BulkOrder>()
  const items = letters.filter(({ status }) => status === 'pending')
  const count = isAll ? waiting : items.length
  const ask = (action: 'retry' | 'discard') => {
    const filter = { status: ['pending' as const], ...(fingerprint ? { fingerprint } : {}) }
    const selection = isAll ? { filter } : { ids: items.map(({ id }) => id) }
    setOrder({ target: 'dlq', body: { action, ...selection } })
  }
  const close = (started: boolean) => {
    setOrder(undefined)
    if (started) onClear()
  }
  useKeys({ retry: count > 0 ? () => ask('retry') : undefined })
  return (
    <SelectionBar count={isAll ? waiting : letters.length} onClear={onClear}>
      {!isAll && waiting > letters.length && (
        <Button kind="ghost" onClick={() => setAll(true)}>
          Select all {formatNumber(waiting)} pending
        </Button>
      )}
      <Button disabled={count === 0} onClick={() => ask('retry')}>
        <RotateCcw size={14} /> Retry {formatNumber(count)}
      </Button>
      <Button disabled={count === 0} onClick={() => ask('discard')}>
        <Trash2 size={14} /> Discard {formatNumber(count)}
      </Button>
      {order && <BulkDialog order={order} onClose={close} />}
    </SelectionBar>
  )
}
