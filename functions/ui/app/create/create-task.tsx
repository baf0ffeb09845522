import { useNavigate } from '@tanstack/react-router'
import type { FormEvent, KeyboardEvent } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../components/dialog.tsx'
import { AreaField, SelectField, TextField } from '../components/field.tsx'
import { fieldErrors } from '../components/field-errors.ts'
import { saysOf } from '../components/problem.tsx'
import { toast } from '../components/toast.tsx'
import { useAgentTypes } from '../data/agents.ts'
import { type NewTask, useCreateTask } from '../data/tasks.ts'
import { closeOverlay, overlay } from '../shell/overlay.ts'
import { draft, dropDraft, keepDraft, keyOf } from './draft.ts'
import { newTaskOf } from './new-task.ts'

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

const Fields = ({ errors }: { errors: Readonly<Record<string, string>> }) => {
  const { data: known = [] } = useAgentTypes()
  const { assignedAgent = '', priority = '3', ...typed } = draft()
  // The agent of a draft is an option before the list of agents has come.
  const types = assignedAgent === '' || known.includes(assignedAgent) ? known : [assignedAgent, ...known]
  return (
    <DialogBody>
      <TextField
        label="Title"
        name="title"
        defaultValue={typed.title}
        autoFocus
        error={errors.title}
        autoComplete="off"
      />
      <AreaField
        label="Prompt"
        name="prompt"
        defaultValue={typed.prompt}
        rows={5}
        error={errors.prompt}
        placeholder="What is the agent to do?"
      />
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <SelectField label="Priority" name="priority" defaultValue={priority} error={errors.priority}>
          <option value="1">1 · critical</option>
          <option value="2">2 · high</option>
          <option value="3">3 · normal</option>
          <option value="4">4 · low</option>
        </SelectField>
        <SelectField
          label="Agent"
          name="assignedAgent"
          defaultValue={assignedAgent}
          error={errors.assignedAgent}
        >
          <option value="">Whichever fits</option>
          {types.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </SelectField>
        <TextField
          label="Repository"
          name="repository"
          defaultValue={typed.repository}
          placeholder="owner/repo"
          error={errors.repository}
        />
        <TextField label="Branch" name="branch" defaultValue={typed.branch} error={errors.branch} />
        <TextField
          label="Labels"
          name="labels"
          defaultValue={typed.labels}
          placeholder="separated by commas"
          error={errors.labels}
        />
        <TextField
          label="Source link"
          name="sourceUrl"
          defaultValue={typed.sourceUrl}
          type="url"
          error={errors.sourceUrl}
        />
      </div>
    </DialogBody>
  )
}
