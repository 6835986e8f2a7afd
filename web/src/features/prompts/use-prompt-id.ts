import { useParams } from 'react-router-dom';

/** The id in the address; NaN when there is none that could be one. */
export function usePromptId(): number {
  const { id = '' } = useParams();
  return /^\d{1,15}$/.test(id) ? Number(id) : Number.NaN;
}
