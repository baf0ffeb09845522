import { useNavigate } from '@tanstack/react-router'
import type { FormEvent, KeyboardEvent } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../components/dialog.tsx'
import { fieldErrors } from '../components/field-errors.ts'
import { errorMessage } from '../components/problem.tsx'
import { toast } from '../components/toast.tsx'
import { isConnected, useAway } from '../data/connection.ts'
import { type NewTask, useCreateTask } from '../data/tasks.ts'
import { closeOverlay, overlay } from '../shell/overlay.ts'
import { draftFor, dropDraft, idempotencyKey, keepDraft, keepUnsent, type Purpose } from './draft.ts'
import { newTaskBody } from './new-task.ts'
import { TaskFields } from './task-fields.tsx'

const titles: Readonly<Record<Purpose, string>> = { create: 'Create a task', again: 'Edit and run again' }

/** Sent again under the same idempotency key. */
const BACK = 'The connection was lost and is back. Send it again: that makes no second task.'

/** The form for a task, opened from anywhere by `c`; filled in with a task that was, by `e` on its page. */
export const CreateTask = ({ purpose }: { purpose: Purpose }) => {
  const navigate = useNavigate()
  const { mutateAsync, isPending, error } = useCreateTask()
  const errors = fieldErrors(error)
  const isAway = useAway() !== undefined
  const isBack = !isAway && error instanceof TypeError
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // What does not fit is said by the service, which knows best.
    const { rest } = draftFor(purpose).get()
    const body = { ...rest, ...newTaskBody(new FormData(event.currentTarget)) } as NewTask
    const given = { body, key: idempotencyKey(purpose, body) }
    mutateAsync(given).then(
      ({ task }) => {
        dropDraft(purpose)
        toast.done('Task created', task.title)
        // Who has closed the form meanwhile is somewhere else already, and stays there.
        if (overlay.get() !== purpose) return
        closeOverlay()
        void navigate({ to: '/tasks/$id', params: { id: task.id } })
      },
      // The form shows it; what closes before it is sent is offered again.
      () => keepUnsent(purpose),
    )
  }
  const keep = ({ currentTarget }: FormEvent<HTMLFormElement>) =>
    keepDraft(purpose, new FormData(currentTarget))
  const close = () => {
    // It would have been sent, had the service been there.
    if (!isConnected.get()) keepUnsent(purpose)
    closeOverlay()
  }
  /** The cross, the backdrop and Back keep what was typed: only this button means it. */
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
          <TaskFields typed={draftFor(purpose).get().fields} errors={errors} autoFocus />
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
