import { Button } from '../../components/button.tsx'
import { AreaField, TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form, type Texts } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { toast } from '../../components/toast.tsx'
import { useChangeMe } from '../../data/accounts.ts'
import type { useMe } from '../../data/me.ts'

type User = NonNullable<ReturnType<typeof useMe>>

const OPTIONAL = ['avatarUrl', 'bio', 'timezone', 'locale'] as const
const FIELDS = ['name', ...OPTIONAL]

/** Empty fields are removed. */
const profilePatch = (texts: Texts) => ({
  name: texts.name ?? '',
  ...Object.fromEntries(OPTIONAL.map((field) => [field, texts[field]?.trim() || null])),
})

export const ProfileForm = ({ user }: { user: User }) => {
  const { mutateAsync, error, isPending } = useChangeMe()
  const wrong = fieldErrors(error)
  // A changed language remounts the view, so `mutate` callbacks of this form would not run.
  const save = (texts: Texts) =>
    void mutateAsync(profilePatch(texts)).then(
      () => void toast.done('Profile saved'),
      // The form shows the error.
      () => undefined,
    )
  return (
    <Form label="Profile" error={error} onSend={save} className="flex flex-col gap-3 p-3.5">
      <div className="flex flex-wrap gap-3 [&>*]:basis-60">
        <TextField
          label="Name"
          name="name"
          autoComplete="name"
          required
          maxLength={100}
          defaultValue={user.name}
          error={wrong.name}
        />
        <TextField
          label="Email"
          value={user.email}
          readOnly
          disabled
          className="disabled:opacity-70"
          hint="The email cannot be changed."
        />
      </div>
      <TextField
        label="Picture"
        name="avatarUrl"
        type="url"
        autoComplete="photo"
        placeholder="https://"
        defaultValue={user.avatarUrl}
        error={wrong.avatarUrl}
      />
      <AreaField label="About you" name="bio" rows={3} defaultValue={user.bio} error={wrong.bio} />
      <div className="flex flex-wrap gap-3 [&>*]:basis-60">
        <TextField
          label="Time zone"
          name="timezone"
          list="timezones"
          autoComplete="off"
          placeholder={Intl.DateTimeFormat().resolvedOptions().timeZone}
          defaultValue={user.timezone}
          error={wrong.timezone}
        />
        <TextField
          label="Language"
          name="locale"
          autoComplete="language"
          placeholder={navigator.language}
          defaultValue={user.locale}
          error={wrong.locale}
        />
      </div>
      <datalist id="timezones">
        {Intl.supportedValuesOf('timeZone').map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Refusal error={error} fields={FIELDS} />
      <div>
        <Button kind="primary" type="submit" disabled={isPending}>
          Save
        </Button>
      </div>
    </Form>
  )
}
