import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type KeyboardEvent, useRef } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../components/dialog.tsx'
import { AreaField, SelectField, TextField } from '../components/field.tsx'
import { fieldErrors } from '../components/field-errors.ts'
import { saysOf } from '../components/problem.tsx'
import { toast } from '../components/toast.tsx'
import { useAgentTypes } from '../data/agents.ts'
import { type NewTask, useCreateTask } from '../data/tasks.ts'
import { closeOverlay } from '../shell/overlay.ts'
import { newTaskOf } from './new-task.ts'

const newKey = () => `page-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`

/** A key for what is sent: what is sent again unchanged, since its answer was lost, has the same and makes one task. */
const useKeyOf = () => {
  const sent = useRef({ text: '', key: '' })
  return (body: object) => {
    const text = JSON.stringify(body)
    if (sent.current.text !== text) sent.current = { text, key: newKey() }
    return sent.current.key
  }
}

/** The form for a task, opened from anywhere by `c`. */
export const CreateTask = () => {
  const keyOf = useKeyOf()
  const navigate = useNavigate()
  const { mutate, isPending, error } = useCreateTask()
  const errors = fieldErrors(error)
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // What does not fit is said by the service, which knows best.
    const body = newTaskOf(new FormData(event.currentTarget)) as NewTask
    const given = { body, key: keyOf(body) }
    mutate(given, {
      onSuccess: ({ task }) => {
        closeOverlay()
        toast.done('Task created', task.title)
        void navigate({ to: '/tasks/$id', params: { id: task.id } })
      },
    })
  }
  return (
    <Dialog isOpen onClose={closeOverlay} title="Create a task">
      <form onSubmit={send} onKeyDown={sendOnEnter} noValidate className="flex min-h-0 flex-col">
        <Fields errors={errors} />
        <DialogFoot>
          {error && Object.keys(errors).length === 0 && (
            <span role="alert" className="mr-auto min-w-0 text-destructive">
              {saysOf(error)}
            </span>
          )}
          <Button onClick={closeOverlay}>Cancel</Button>
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

const Fields = ({ errors }: { errors: Readonly<Record<string, string>> }) => {
  const { data: types = [] } = useAgentTypes()
  return (
    <DialogBody>
      <TextField label="Title" name="title" autoFocus error={errors.title} autoComplete="off" />
      <AreaField
        label="Prompt"
        name="prompt"
        rows={5}
        error={errors.prompt}
        placeholder="What is the agent to do?"
      />
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <SelectField label="Priority" name="priority" defaultValue="3" error={errors.priority}>
          <option value="1">1 · critical</option>
          <option value="2">2 · high</option>
          <option value="3">3 · normal</option>
          <option value="4">4 · low</option>
        </SelectField>
        <SelectField label="Agent" name="assignedAgent" error={errors.assignedAgent}>
          <option value="">Whichever fits</option>
          {types.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </SelectField>
        <TextField label="Repository" name="repository" placeholder="owner/repo" error={errors.repository} />
        <TextField label="Branch" name="branch" error={errors.branch} />
        <TextField label="Labels" name="labels" placeholder="separated by commas" error={errors.labels} />
        <TextField label="Source link" name="sourceUrl" type="url" error={errors.sourceUrl} />
      </div>
    </DialogBody>
  )
}
