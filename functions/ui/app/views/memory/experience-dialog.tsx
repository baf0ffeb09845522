import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Experience } from '../../../../../lib/memory/schema.ts'
import { Confirm } from '../../components/confirm.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { LongText } from '../../components/long-text.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Tag } from '../../components/tag.tsx'
import { When } from '../../components/when.tsx'
import { useRemoveExperience } from '../../data/memory.ts'

export type { Experience }

export const kinds: Readonly<Record<Experience['type'], string>> = {
  tool_chain: 'Tool chain',
  user_preference: 'Preference',
  task_solution: 'Solution',
  error_recovery: 'Recovery',
}

/** The experience that the address names. */
export const ExperienceDialog = ({
  rows,
  isLoading,
}: {
  rows: readonly Experience[]
  isLoading: boolean
}) => {
  const { item } = useSearch({ from: '/memory' })
  const navigate = useNavigate({ from: '/memory' })
  const close = () => void navigate({ search: ({ item, ...rest }) => rest, replace: true })
  const experience = rows.find(({ id }) => id === item)
  if (item === undefined) return null
  return (
    <Dialog isOpen onClose={close} title={experience?.intent ?? 'Experience'}>
      {experience ? (
        <Shown experience={experience} onForgotten={close} />
      ) : (
        <DialogBody>
          {isLoading ? <SkeletonRows /> : <p role="alert">It is not in this list; it may be forgotten.</p>}
        </DialogBody>
      )}
    </Dialog>
  )
}

const textOf = (solution: Experience['solution']) =>
  typeof solution === 'string' ? solution : JSON.stringify(solution, null, 2)

const Shown = ({ experience, onForgotten }: { experience: Experience; onForgotten: () => void }) => {
  const { id, type, tags, solution, createdAt, lastUsedAt, useCount } = experience
  const remove = useRemoveExperience()
  const forget = async () => {
    await remove.mutateAsync(id)
    onForgotten()
  }
  return (
    <>
      <DialogBody>
        <p className="flex flex-wrap items-center gap-1.5 text-muted-foreground">
          <Tag>{kinds[type]}</Tag>
          {tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
          <span>
            learned <When at={createdAt} />, used {useCount}×
          </span>
          {lastUsedAt && (
            <span>
              , last <When at={lastUsedAt} />
            </span>
          )}
        </p>
        <LongText label="What worked" text={textOf(solution)} />
      </DialogBody>
      <DialogFoot>
        <Confirm verb="Forget" title="Forget this experience?" size="normal" onConfirm={forget}>
          It does not come back.
        </Confirm>
      </DialogFoot>
    </>
  )
}
