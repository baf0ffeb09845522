import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../components/button.tsx'
import { fieldErrors } from '../components/field-errors.ts'
import { withCommand } from '../components/platform.ts'
import { errorMessage } from '../components/problem.tsx'
import { toast } from '../components/toast.tsx'
import { useAway } from '../data/connection.ts'
import { type NewTask, useCreateTask } from '../data/tasks.ts'
import { draftFor, dropSent, idempotencyKey, keepDraft, keepUnsent, type Purpose } from './draft.ts'
import { ModeSelect } from './mode-select.tsx'
import { newTaskBody, typedErrors } from './new-task.ts'
import { NothingRuns } from './nothing-runs.tsx'
import { taskErrors, useRepeat } from './repeat.ts'
import { TaskFields } from './task-fields.tsx'

/** A resend of a task has the same idempotency key. Schedules have none. */
const BACK = {
  task: 'The connection was lost. Send it again. No second task is created.',
  schedule:
    'The connection was lost. The schedule may have been created: check the list of schedules before you send it again.',
} as const

type Parts = { fields: ReactNode; problem: ReactNode; mode: ReactNode; submit: ReactNode }

type Props = {
  /** `again` is prefilled from a task. */
  purpose: Purpose
  /** Whether the user still looks at the form when the task is there: the page then goes to it. */
  isStillOpen: () => boolean
  onCreated?: () => void
  children: (parts: Parts) => ReactNode
}

/** The form of a new task: the prompt first, all else has a default. Its draft survives closing it and the page. */
export const Composer = ({ purpose, isStillOpen, onCreated, children }: Props) => {
  const navigate = useNavigate()
  const { mutateAsync, isPending, error: refused, reset } = useCreateTask()
  const repeat = useRepeat()
  const error = refused ?? repeat.error
  const typed = draftFor(purpose).use().fields
  // Said from the first try to send on.
  const [isTried, setTried] = useState(false)
  const errors = { ...taskErrors(error), ...fieldErrors(error), ...(isTried ? ownErrors(purpose) : {}) }
  const isAway = useAway() !== undefined
  const isBack = !isAway && error instanceof TypeError
  // A form that was taken is left, so it is sent no more.
  const isSent = useRef(false)

  const goTo = (act: () => unknown) => {
    // If the form was closed meanwhile, the user stays where they are.
    if (!isStillOpen()) return
    onCreated?.()
    act()
  }
  const create = async (body: NewTask) => {
    repeat.reset()
    const { fields } = draftFor(purpose).get()
    const { task } = await mutateAsync({ body, key: idempotencyKey(purpose, body) })
    dropSent(purpose, fields)
    toast.done('Task created', task.title)
    goTo(() => void navigate({ to: '/tasks/$id', params: { id: task.id } }))
  }
  const schedule = async (cron: string, body: NewTask) => {
    reset()
    const { fields } = draftFor(purpose).get()
    const { name } = await repeat.create(cron, body)
    dropSent(purpose, fields)
    toast.done('Schedule created', name)
    goTo(() => void navigate({ to: '/schedules' }))
  }
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // A key that submits does not ask whether the button is off.
    if (isSent.current) return
    const form = event.currentTarget
    keepDraft(purpose, new FormData(form))
    flushSync(() => setTried(true))
    if (Object.keys(ownErrors(purpose)).length > 0)
      return form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
    const { rest, fields } = draftFor(purpose).get()
    const { cron = '', ...texts } = fields
    const body = withRest(rest, newTaskBody(Object.entries(texts))) as NewTask
    isSent.current = true
    const sent = cron.trim() === '' ? create(body) : schedule(cron.trim(), body)
    sent.catch(() => {
      isSent.current = false
      // The form shows the error. A draft that is closed unsent is offered again.
      keepUnsent(purpose)
    })
  }
  const keep = ({ currentTarget }: FormEvent<HTMLFormElement>) =>
    keepDraft(purpose, new FormData(currentTarget))
  return (
    <form
      aria-label={purpose === 'create' ? 'New task' : 'Task to run again'}
      onSubmit={send}
      onInput={keep}
      onKeyDown={sendOnEnter}
      noValidate
      className="flex min-h-0 flex-col"
    >
      {children({
        fields: (
          <>
            <NothingRuns />
            <TaskFields typed={typed} errors={errors} isFirst canRepeat={purpose === 'create'} />
          </>
        ),
        problem: error && Object.keys(errors).length === 0 && (
          <span role="alert" className="mr-auto min-w-0 text-destructive">
            {isBack ? BACK[refused ? 'task' : 'schedule'] : errorMessage(error)}
          </span>
        ),
        mode: <ModeSelect chosen={typed.securityMode} error={errors.metadata} />,
        submit: (
          <Button
            kind="primary"
            type="submit"
            disabled={isPending || repeat.isPending}
            aria-keyshortcuts="Control+Enter Meta+Enter"
          >
            Create
            <kbd aria-hidden className="font-sans text-xs font-normal opacity-70 max-md:hidden">
              {withCommand('Enter', ' ')}
            </kbd>
          </Button>
        ),
      })}
    </form>
  )
}

const ownErrors = (purpose: Purpose): Readonly<Record<string, string>> => {
  const { fields, rest } = draftFor(purpose).get()
  return typedErrors(fields, rest.description)
}

/** Metadata without a field stays beside that which has one. */
const withRest = (rest: Readonly<Record<string, unknown>>, body: Record<string, unknown>) => {
  const metadata = { ...Object(rest.metadata), ...Object(body.metadata) }
  return { ...rest, ...body, ...(Object.keys(metadata).length > 0 ? { metadata } : {}) }
}

const sendOnEnter = (event: KeyboardEvent<HTMLFormElement>) => {
  if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && !event.repeat)
    event.currentTarget.requestSubmit()
}
