import { useNavigate } from '@tanstack/react-router'
import type { FormEvent, KeyboardEvent } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../components/dialog.tsx'
import { fieldErrors } from '../components/field-errors.ts'
import { saysOf } from '../components/problem.tsx'
import { toast } from '../components/toast.tsx'
import { type NewTask, useCreateTask } from '../data/tasks.ts'
import { closeOverlay, overlay } from '../shell/overlay.ts'
import { draft, dropDraft, keepDraft, keyOf } from './draft.ts'
import { newTaskOf } from './new-task.ts'
import { TaskFields } from './task-fields.tsx'

/** The form for a task, opened from anywhere by `c`. */
export const CreateTask = () => {
  const navigate = useNavigate()
  const { mutateAsync, isPending, error } = useCreateTask()
  const errors = fieldErrors(error)
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // What does not fit is said by the service, which knows best.
    const body = newTaskOf(new FormData(event.currentTarget)) as NewTask
    const given = { body, key: keyOf(body) }
    mutateAsync(given).then(
      ({ task }) => {
        dropDraft()
        toast.done('Task created', task.title)
        // Who has closed the form meanwhile is somewhere else already, and stays there.
        if (overlay.get() !== 'create') return
        closeOverlay()
        void navigate({ to: '/tasks/$id', params: { id: task.id } })
      },
      // The form shows it.
      () => undefined,
    )
  }
  return (
    <Dialog isOpen onClose={closeOverlay} title="Create a task">
      <form
        onSubmit={send}
        onInput={keep}
        onKeyDown={sendOnEnter}
        noValidate
        className="flex min-h-0 flex-col"
      >
        <Fields errors={errors} />
        <DialogFoot>
          {error && Object.keys(errors).length === 0 && (
            <span role="alert" className="mr-auto min-w-0 text-destructive">
              {saysOf(error)}
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

const keep = ({ currentTarget }: FormEvent<HTMLFormElement>) => keepDraft(new FormData(currentTarget))

/** The cross, the backdrop and Back keep what was typed: only this button means it. */
const giveUp = () => {
  dropDraft()
  closeOverlay()
}

const sendOnEnter = (event: KeyboardEvent<HTMLFormElement>) => {
  if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.requestSubmit()
}

const Fields = ({ errors }: { errors: Readonly<Record<string, string>> }) => (
  <DialogBody>
    <TaskFields typed={draft()} errors={errors} autoFocus />
  </DialogBody>
)
