import { Ban, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { isFinal, nextStatus } from '../../../../../lib/tasks/machine.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { SelectionBar } from '../../components/selection-bar.tsx'
import { BulkDialog, type Verb } from './bulk-dialog.tsx'
import type { TaskRow } from './rows.ts'

type Props = { rows: readonly TaskRow[]; selected: ReadonlySet<string>; onClear: () => void }

/** What can be done with the rows that are selected; each button counts those it concerns. */
export const BulkBar = ({ rows, selected, onClear }: Props) => {
  const [job, setJob] = useState<{ verb: Verb; tasks: readonly TaskRow[] }>()
  const [asked, setAsked] = useState<readonly TaskRow[]>()
  const chosen = rows.filter(({ id }) => selected.has(id))
  const stoppable = chosen.filter(({ status }) => nextStatus(status, 'cancel') !== undefined)
  const ended = chosen.filter(({ status }) => isFinal(status))
  return (
    <SelectionBar count={chosen.length} onClear={onClear} freesSearch>
      <Button disabled={stoppable.length === 0} onClick={() => setAsked(stoppable)}>
        <Ban size={14} /> Cancel {stoppable.length}
      </Button>
      <Button disabled={ended.length === 0} onClick={() => setJob({ verb: 'retry', tasks: ended })}>
        <RotateCcw size={14} /> Retry {ended.length}
      </Button>
      {asked && (
        <Confirm
          count={asked.length}
          onKeep={() => setAsked(undefined)}
          onSure={() => {
            setAsked(undefined)
            setJob({ verb: 'cancel', tasks: asked })
          }}
        />
      )}
      {job && (
        <BulkDialog
          {...job}
          onClose={() => {
            setJob(undefined)
            onClear()
          }}
        />
      )}
    </SelectionBar>
  )
}

type ConfirmProps = { count: number; onKeep: () => void; onSure: () => void }

/** A task that is cancelled does not go on, so many at once are asked about. */
const Confirm = ({ count, onKeep, onSure }: ConfirmProps) => (
  <Dialog isOpen onClose={onKeep} title={`Cancel ${count} ${count === 1 ? 'task' : 'tasks'}?`}>
    <DialogBody>
      <p>Work that has begun is stopped and is not taken up again. A retry begins anew, as a new task.</p>
    </DialogBody>
    <DialogFoot>
      <Button onClick={onKeep}>Keep</Button>
      <Button kind="danger" onClick={onSure}>
        Cancel {count}
      </Button>
    </DialogFoot>
  </Dialog>
)
