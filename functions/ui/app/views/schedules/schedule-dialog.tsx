import { useState } from 'react'
import { flushSync } from 'react-dom'
import { firstLineTitle } from '../../../../../lib/core/first-line-title.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form, type Texts } from '../../components/form.tsx'
import { Person } from '../../components/person.tsx'
import { Problem } from '../../components/problem.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { ModeSelect } from '../../create/mode-select.tsx'
import { typedErrors } from '../../create/new-task.ts'
import { LONGEST_NAME, taskErrors } from '../../create/repeat.ts'
import { TaskFields } from '../../create/task-fields.tsx'
import { useMe } from '../../data/me.ts'
import { type Schedule, useChangeSchedule, useCreateSchedule, useSchedule } from '../../data/schedules.ts'
import { PatternFields } from './pattern-fields.tsx'
import { newScheduleBody, scheduleChange, taskTexts } from './schedule-texts.ts'
import { ownZone } from './zone-field.tsx'

type Close = { onClose: () => void }

export const NewScheduleDialog = ({ onClose }: Close) => {
  const { mutate, error, isPending } = useCreateSchedule()
  const create = (texts: Texts) =>
    mutate(newScheduleBody(texts), {
      onSuccess: ({ name }) => {
        toast.done('Schedule created', name)
        onClose()
      },
    })
  return (
    <Dialog isOpen onClose={onClose} title="New schedule">
      <Fields verb="Create" error={error} isPending={isPending} onClose={onClose} onSend={create} />
    </Dialog>
  )
}

export const ScheduleDialog = ({ id, onClose }: Close & { id: string }) => {
  const { data, error, refetch } = useSchedule(id)
  return (
    <Dialog isOpen onClose={onClose} title={data?.name ?? 'Schedule'}>
      {data && <Change key={data.id} given={data} onClose={onClose} />}
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows count={8} />}
    </Dialog>
  )
}

const Change = ({ given, onClose }: Close & { given: Schedule }) => {
  const [schedule] = useState(given)
  const { mutate, error, isPending } = useChangeSchedule(schedule.id)
  const save = (texts: Texts) => {
    const change = scheduleChange(schedule, texts)
    if (Object.keys(change).length === 0) return onClose()
    mutate(change, {
      onSuccess: ({ name }) => {
        toast.done('Schedule saved', name)
        onClose()
      },
    })
  }
  return (
    <Fields
      verb="Save"
      schedule={schedule}
      error={error}
      isPending={isPending}
      onClose={onClose}
      onSend={save}
    />
  )
}

type Props = Close & {
  schedule?: Schedule
  verb: string
  error: unknown
  isPending: boolean
  onSend: (texts: Texts) => void
}

const OWN = ['name', 'cron', 'timezone']

/** Shown if saving changes the user that the schedule runs as. */
const RunsAs = ({ id }: { id: string }) => {
  const me = useMe()
  if (me === undefined || me.id === id) return null
  return (
    <p className="text-muted-foreground">
      It runs as <Person id={id} /> and uses their linked accounts. If you save changes, it runs as you.
    </p>
  )
}

const Fields = ({ schedule, verb, error, isPending, onClose, onSend }: Props) => {
  const errors = fieldErrors(error)
  const [typed, setTyped] = useState<Texts>(schedule ? taskTexts(schedule.task) : {})
  // Said from the first try to send on.
  const [isTried, setTried] = useState(false)
  const wrong = typedErrors(typed, schedule?.task.description)
  const send = (texts: Texts, form: HTMLFormElement) => {
    flushSync(() => setTried(true))
    if (Object.keys(wrong).length === 0) return onSend(texts)
    form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }
  return (
    <Form label="Schedule" error={error} onSend={send} onType={setTyped} className="flex min-h-0 flex-col">
      <DialogBody>
        {schedule && <RunsAs id={schedule.runsAs} />}
        <TaskFields
          typed={typed}
          errors={{ ...taskErrors(error), ...(isTried ? wrong : {}) }}
          isFirst={schedule === undefined}
        >
          <PatternFields cron={schedule?.cron} timezone={schedule?.timezone ?? ownZone()} errors={errors} />
          <TextField
            label="Name"
            name="name"
            autoComplete="off"
            maxLength={LONGEST_NAME}
            placeholder={firstLineTitle(typed.prompt ?? '') || 'The first line of the prompt'}
            defaultValue={schedule?.name}
            error={errors.name}
          />
        </TaskFields>
        <Refusal error={error} fields={[...OWN, 'task']} />
      </DialogBody>
      <DialogFoot>
        <ModeSelect chosen={typed.securityMode} error={taskErrors(error).metadata} />
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={isPending}>
          {verb}
        </Button>
      </DialogFoot>
    </Form>
  )
}
