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
  const [asked, setAsked] = useState<{ verb: Verb; tasks: readonly TaskRow[] }>()
  const chosen = rows.filter(({ id }) => selected.has(id))
  const stoppable = chosen.filter(({ status }) => nextStatus(status, 'cancel') !== undefined)
  const ended = chosen.filter(({ status }) => isFinal(status))
  return (
    <SelectionBar count={chosen.length} onClear={onClear} freesSearch>
      <Button
        disabled={stoppable.length === 0}
        onClick={() => setAsked({ verb: 'cancel', tasks: stoppable })}
      >
        <Ban size={14} /> Cancel {stoppable.length}
      </Button>
      <Button disabled={ended.length === 0} onClick={() => setAsked({ verb: 'retry', tasks: ended })}>
        <RotateCcw size={14} /> Retry {ended.length}
      </Button>
      {asked && (
        <Confirm
          verb={asked.verb}
          count={asked.tasks.length}
          onKeep={() => setAsked(undefined)}
          onSure={() => {
            setAsked(undefined)
            setJob(asked)
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

/** What is asked about before many tasks are changed at once. */
const questions = {
  cancel: {
    name: 'Cancel',
    kind: 'danger',
    keep: 'Keep',
    text: 'Work that has begun is stopped and is not taken up again. A retry begins anew, as a new task.',
  },
  retry: {
    name: 'Retry',
    kind: 'primary',
    keep: 'Not now',
    text: 'Each is run again as a new task, and takes its tokens again. Their dead letters are resolved.',
  },
} as const satisfies Record<Verb, { name: string; kind: string; keep: string; text: string }>

type ConfirmProps = { verb: Verb; count: number; onKeep: () => void; onSure: () => void }

const Confirm = ({ verb, count, onKeep, onSure }: ConfirmProps) => {
  const { name, kind, keep, text } = questions[verb]
  return (
    <Dialog isOpen onClose={onKeep} title={`${name} ${count} ${count === 1 ? 'task' : 'tasks'}?`}>
      <DialogBody>
        <p>{text}</p>
      </DialogBody>
      <DialogFoot>
        <Button onClick={onKeep}>{keep}</Button>
        <Button kind={kind} onClick={onSure}>
          {name} {count}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
