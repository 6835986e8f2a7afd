import { EditScreen } from '@/features/prompts/components/edit-screen';

export default EditScreen;
