import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../components/dialog.tsx'
import { fieldErrors } from '../components/field-errors.ts'
import { errorMessage } from '../components/problem.tsx'
import { toast } from '../components/toast.tsx'
import { isConnected, useAway } from '../data/connection.ts'
import { type NewTask, useCreateTask } from '../data/tasks.ts'
import { closeOverlay, overlay } from '../shell/overlay.ts'
import { draftFor, dropDraft, idempotencyKey, keepDraft, keepUnsent, type Purpose } from './draft.ts'
import { LimitFields } from './limit-fields.tsx'
import { limitErrors } from './limits.ts'
import { newTaskBody } from './new-task.ts'
import { NothingRuns } from './nothing-runs.tsx'
import { TaskFields } from './task-fields.tsx'

const titles: Readonly<Record<Purpose, string>> = { create: 'Create task', again: 'Edit and run again' }

/** A resend has the same idempotency key. */
const BACK = 'The connection was lost and is back. Send it again: no second task is created.'

/** `again` is prefilled from a task. */
export const CreateTask = ({ purpose }: { purpose: Purpose }) => {
  const navigate = useNavigate()
  const { mutateAsync, isPending, error } = useCreateTask()
  const typed = draftFor(purpose).use().fields
  // Said from the first try to send on.
  const [isTried, setTried] = useState(false)
  const errors = { ...fieldErrors(error), ...(isTried ? limitErrors(typed) : {}) }
  const isAway = useAway() !== undefined
  const isBack = !isAway && error instanceof TypeError
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    flushSync(() => setTried(true))
    if (Object.keys(limitErrors(typed)).length > 0)
      return form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
    // The service validates the rest.
    const { rest } = draftFor(purpose).get()
    const body = { ...rest, ...newTaskBody(new FormData(form)) } as NewTask
    const given = { body, key: idempotencyKey(purpose, body) }
    mutateAsync(given).then(
      ({ task }) => {
        dropDraft(purpose)
        toast.done('Task created', task.title)
        // If the form was closed meanwhile, the user stays where they are.
        if (overlay.get() !== purpose) return
        closeOverlay()
        void navigate({ to: '/tasks/$id', params: { id: task.id } })
      },
      // The form shows the error. A draft that is closed unsent is offered again.
      () => keepUnsent(purpose),
    )
  }
  const keep = ({ currentTarget }: FormEvent<HTMLFormElement>) =>
    keepDraft(purpose, new FormData(currentTarget))
  const close = () => {
    if (!isConnected.get()) keepUnsent(purpose)
    closeOverlay()
  }
  /** Closing by the cross, the backdrop or Back keeps the draft; only this button discards it. */
  const giveUp = () => {
    dropDraft(purpose)
    closeOverlay()
  }
  return (
    <Dialog isOpen onClose={close} title={titles[purpose]}>
      <form
        onSubmit={send}
        onInput={keep}
        onKeyDown={sendOnEnter}
        noValidate
        className="flex min-h-0 flex-col"
      >
        <DialogBody>
          <NothingRuns />
          <TaskFields typed={typed} errors={errors} autoFocus />
          <LimitFields typed={typed} errors={errors} />
        </DialogBody>
        <DialogFoot>
          {error && Object.keys(errors).length === 0 && (
            <span role="alert" className="mr-auto min-w-0 text-destructive">
              {isBack ? BACK : errorMessage(error)}
            </span>
          )}
          <Button onClick={giveUp}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={isPending}>
            Create
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}

const sendOnEnter = (event: KeyboardEvent<HTMLFormElement>) => {
  if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.requestSubmit()
}
