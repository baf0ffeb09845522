import { useUserName } from '../data/people.ts'

export const Person = ({ id }: { id: string }) => <span title={id}>{useUserName()(id)}</span>
