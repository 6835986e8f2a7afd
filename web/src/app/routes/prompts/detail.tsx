import { PromptDetailScreen } from '@/features/prompts/components/prompt-detail-screen';

export default PromptDetailScreen;
