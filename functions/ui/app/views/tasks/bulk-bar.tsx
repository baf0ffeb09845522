import { Ban, RotateCcw, X } from 'lucide-react'
import { useState } from 'react'
import { isFinal, nextStatus } from '../../../../../lib/tasks/machine.ts'
import { Button } from '../../components/button.tsx'
import { BulkDialog, type Verb } from './bulk-dialog.tsx'
import type { TaskRow } from './rows.ts'

type Props = { rows: readonly TaskRow[]; selected: ReadonlySet<string>; onClear: () => void }

/** What can be done with the rows that are selected; each button counts those it concerns. */
export const BulkBar = ({ rows, selected, onClear }: Props) => {
  const [job, setJob] = useState<{ verb: Verb; tasks: readonly TaskRow[] }>()
  const chosen = rows.filter(({ id }) => selected.has(id))
  const stoppable = chosen.filter(({ status }) => nextStatus(status, 'cancel') !== undefined)
  const ended = chosen.filter(({ status }) => isFinal(status))
  return (
    <div className="flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b bg-accent px-4 py-1.5 md:px-6">
      <span className="font-medium" role="status">
        {chosen.length} selected
      </span>
      <Button disabled={stoppable.length === 0} onClick={() => setJob({ verb: 'cancel', tasks: stoppable })}>
        <Ban size={14} /> Cancel {stoppable.length}
      </Button>
      <Button disabled={ended.length === 0} onClick={() => setJob({ verb: 'retry', tasks: ended })}>
        <RotateCcw size={14} /> Retry {ended.length}
      </Button>
      <Button kind="ghost" onClick={onClear}>
        <X size={14} /> Clear
      </Button>
      {job && (
        <BulkDialog
          {...job}
          onClose={() => {
            setJob(undefined)
            onClear()
          }}
        />
      )}
    </div>
  )
}
