import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogBody } from '../../components/dialog.tsx'
import { AreaField, SelectField, TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form, given, type Texts } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { toast } from '../../components/toast.tsx'
import { useCreateExperience } from '../../data/memory.ts'
import { type Experience, kinds } from './experience-dialog.tsx'

const FIELDS = ['intent', 'solution', 'type', 'tags']

const experienceBody = (texts: Texts) => {
  const { intent = '', solution = '', tags = '' } = given(texts)
  const named = tags.split(',').map((tag) => tag.trim())
  return { intent, solution, type: texts.type as Experience['type'], tags: named.filter((tag) => tag !== '') }
}

export const CreateExperience = () => {
  const [isOpen, setOpen] = useState(false)
  const { mutate, error, isPending, reset } = useCreateExperience()
  const wrong = fieldErrors(error)
  const close = () => {
    setOpen(false)
    reset()
  }
  const add = (texts: Texts) =>
    mutate(experienceBody(texts), {
      onSuccess: ({ experience }) => {
        close()
        toast.done('Experience created', experience.intent)
      },
    })
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        <Plus size={14} /> New experience
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title="New experience">
        <DialogBody>
          <Form label="New experience" error={error} onSend={add}>
            <TextField label="Goal" name="intent" autoComplete="off" maxLength={2_000} error={wrong.intent} />
            <AreaField label="What worked" name="solution" rows={6} error={wrong.solution} />
            <div className="flex flex-wrap gap-3 [&>*]:basis-40">
              <SelectField label="Kind" name="type" defaultValue="task_solution" error={wrong.type}>
                {Object.entries(kinds).map(([type, name]) => (
                  <option key={type} value={type}>
                    {name}
                  </option>
                ))}
              </SelectField>
              <TextField
                label="Tags"
                name="tags"
                autoComplete="off"
                hint="Comma-separated"
                error={wrong.tags}
              />
            </div>
            <Refusal error={error} fields={FIELDS} />
            <Button kind="primary" type="submit" className="self-start" disabled={isPending}>
              Create
            </Button>
          </Form>
        </DialogBody>
      </Dialog>
    </>
  )
}
